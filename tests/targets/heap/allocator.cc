// Gets memory as C++ does: from its own library, which asks malloc.
extern "C" __attribute__((visibility("default"))) char *get_new(unsigned long size) {
    return new char[size];
}
extern "C" __attribute__((visibility("default"))) void give_back_new(char *block) {
    delete[] block;
}
