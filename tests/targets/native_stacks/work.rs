// Rust code whose stacks are known: a generic, a closure, and a panic that is caught.
use std::hint::black_box;
use std::panic;

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

extern "C" {
    fn clock_gettime(clock: i32, time: *mut Timespec) -> i32;
}

const THREAD_CPU_TIME: i32 = 3;

fn now() -> f64 {
    let mut time = Timespec { seconds: 0, nanoseconds: 0 };
    unsafe { clock_gettime(THREAD_CPU_TIME, &mut time) };
    time.seconds as f64 + time.nanoseconds as f64 / 1e9
}

#[inline(never)]
fn spin(until: f64) {
    while now() < until {
        for i in 0..20000 {
            black_box(i);
        }
    }
    black_box(());
}

#[inline(never)]
fn apply<T>(value: T, action: &dyn Fn(&T)) {
    action(&value);
    black_box(());
}

#[inline(never)]
fn recover(until: f64) {
    panic::set_hook(Box::new(|_| {}));
    let failed = panic::catch_unwind(|| panic!("known")).is_err();
    if black_box(failed) {
        spin(until);
    }
    black_box(());
}

#[no_mangle]
pub extern "C" fn run_generic(seconds: f64) {
    let until = now() + seconds;
    apply(until, &|end| spin(*end));
    black_box(());
}

#[no_mangle]
pub extern "C" fn run_panic(seconds: f64) {
    recover(now() + seconds);
    black_box(());
}
