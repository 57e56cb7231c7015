/* Extension module without Python's headers: method tables as they lie in memory, of a module, of a
 * static class, of a class by its slots, and one that two classes share. */
typedef void *word;

word PyModuleDef_Init(word); /* of Python; what looks like a method table counts where it is used */

word work_run(word self) { return self; }
word work_scan(word self) { return (char *)self + 1; }
word work_shared(word self) { return (char *)self + 2; }
word work_twice(word self) { return (char *)self + 3; }
word work_made(word self) { return (char *)self + 4; }
word work_alone(word self) { return (char *)self + 5; }
word work_repr(word self) { return (char *)self + 6; }
word work_other(word self) { return (char *)self + 7; }

struct method {
    const char *name;
    word (*function)(word);
    long flags;
    const char *text;
};

static struct method of_module[] = {
    {"run", work_run, 1, "run()"}, {"twice", work_twice, 8, 0}, {"thrice", work_twice, 8, 0}, {0}};
static struct method of_static[] = {{"scan", work_scan, 0x82, 0},
                                    {"__copy__", work_scan, 4, 0},
                                    {"shared", work_shared, 4, 0},
                                    {0}};
static struct method of_other[] = {{"shared", work_shared, 4, 0}, {0}};
static struct method of_slots[] = {{"made", work_made, 0x282, 0}, {0}};
static struct method alone = {"__pyx_fuse_0_1alone", work_alone, 3, 0};
struct method no_method = {"other", work_other, 0x4000, 0};

/* Words by their number: a name, a size, and the place of the methods. */
static word static_class[52] = {
    [0] = (word)1, [3] = "mine.Static", [4] = (word)24, [11] = work_repr, [29] = of_static};
static word other_class[52] = {[0] = (word)1, [3] = "mine.Other", [4] = (word)24, [29] = of_other};
static word slots[] = {(word)56, "text", (word)64, of_slots, 0, 0};
static word spec[] = {"mine.Slots", (word)24, 0, slots};
static word module[13] = {[0] = (word)1, [5] = "mine", [8] = of_module};

word PyInit_mine(void) {
    return (word)((long)PyModuleDef_Init(module) ^ (long)static_class ^ (long)other_class ^
                  (long)spec ^ (long)&alone);
}
