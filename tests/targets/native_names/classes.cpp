// Virtual functions whose classes are known. Each returns another number, except two.
#include <exception>
#include <typeinfo>

extern "C" {
volatile int number;
int not_virtual(int value) { return value * 7 + number; }
int not_either(int value) { return value * 41 + number; }
}

namespace shapes {

struct Shape { // introduces two
    virtual ~Shape();
    virtual int area(int value);
    virtual int sides(int value);
};
Shape::~Shape() { number = 1; }
int Shape::area(int value) { return value * 3 + number; }
int Shape::sides(int value) { return value * 5 + number; }

template <typename Number> struct Square : Shape { // overrides one
    int area(int value) override;
    virtual int only_of_squares(int value);
};
template <typename Number> int Square<Number>::area(int value) {
    return value * int(sizeof(Number)) * 11 + number;
}
template <typename Number> int Square<Number>::only_of_squares(int value) {
    return value * int(sizeof(Number)) * 13 + number;
}
template struct Square<int>;

struct Interface { // has no table: never made
    virtual int pure(int value) = 0;
    virtual int inherited(int value);
};
int Interface::inherited(int value) { return value * 17 + number; }

namespace {
struct Local : Interface {
    int pure(int value) override { return value * 19 + number; }
};
struct Second : Interface {
    int pure(int value) override { return value * 23 + number; }
};
} // namespace

struct Both : Shape, virtual Interface { // with a table for each base
    int sides(int value) override;
    int pure(int value) override;
};
int Both::sides(int value) { return value * 29 + number; }
int Both::pure(int value) { return value * 31 + number; }

struct Alike { // its function may be merged with one of another class
    virtual int alike(int value);
};
struct Other {
    virtual int other(int value);
};
int Alike::alike(int value) { return value * 37 + number; }
int Other::other(int value) { return value * 37 + number; }

struct Twice { // its functions may be merged with each other
    virtual int one(int value);
    virtual int two(int value);
};
int Twice::one(int value) { return value * 43 + number; }
int Twice::two(int value) { return value * 43 + number; }

struct Failure : std::exception {
    const char *what() const noexcept override;
};
const char *Failure::what() const noexcept { return number ? "failure" : "no failure"; }

} // namespace shapes

typedef int (*Function)(int);

// A record with the shape of a table: nothing, a type, a function.
struct Record {
    const void *nothing;
    const std::type_info *type;
    Function function;
};
extern "C" const Record *describe(void) {
    static const Record record = {nullptr, &typeid(shapes::Other), not_either};
    return &record;
}

// Pointers to functions that compilers and linkers may place right behind a table.
extern "C" Function const *choose(int at) {
    static const Function functions[] = {not_virtual, not_either};
    return functions + (at & 1);
}

extern "C" int use(int at) {
    static shapes::Local local;
    static shapes::Second second;
    static shapes::Both both;
    static shapes::Alike alike;
    static shapes::Other other;
    static shapes::Shape shape;
    static shapes::Twice twice;
    static shapes::Square<int> square;
    shapes::Interface *interfaces[] = {&local, &second, &both};
    if (at > 5)
        throw shapes::Failure();
    return interfaces[at % 3]->pure(at) + interfaces[at % 3]->inherited(at) + both.sides(at) +
           (&alike)->alike(at) + (&other)->other(at) + (&shape)->area(at) + (&twice)->one(at) +
           (&square)->only_of_squares(at) +
           (*choose(at))(at);
}
