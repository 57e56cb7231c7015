module go_pprof_server

go 1.24
