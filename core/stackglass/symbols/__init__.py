"""Names of machine code, from the files of a program's libraries; read by a client, never inside
the program."""
