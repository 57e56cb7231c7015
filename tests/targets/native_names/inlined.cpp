// Inlined calls of C++: namespaces, templates, methods, a lambda.

#include <algorithm>
#include <string>
#include <vector>

namespace shapes
{
template <typename T> class Sum
{
  public:
    void add(T value) { total_ += value * value; }
    T total() const { return total_; }

  private:
    T total_ = 0;
};

namespace
{
double weigh(double value)
{
    return value > 0.5 ? value * 2 : value / 3;
}
} // namespace

using Scale = double (*)(double);

// The lambda's code is a function inside this one.
template <typename T> Scale choose_scale(T factor)
{
    if (factor > 1)
        return [](double value) { return value + T(weigh(value)); };
    return [](double value) { return value - T(weigh(value)) * weigh(value); };
}
} // namespace shapes

extern "C" __attribute__((visibility("default"))) double sum_shapes(const double *values, int n)
{
    shapes::Sum<double> sum;
    std::vector<double> sorted(values, values + n);
    std::sort(sorted.begin(), sorted.end(), [](double a, double b) { return shapes::weigh(a) < shapes::weigh(b); });
    for (double each : sorted)
        sum.add(shapes::weigh(each));
    shapes::Scale scale = shapes::choose_scale(values[0]);
    return scale(sum.total()) + std::to_string(sum.total()).size();
}
