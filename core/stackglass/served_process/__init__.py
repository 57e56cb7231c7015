"""Another process behind ``/debug/pprof/``, served from this one."""
