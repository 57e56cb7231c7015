// A Go program with net/http/pprof, the judge of Stackglass's endpoints. It prints its port.
package main

import (
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof"
	"runtime"
	"runtime/pprof"
	"time"
)

// leak waits for what nothing can send.
func leak() {
	<-make(chan int)
}

func poll() {
	time.Sleep(time.Hour)
}

func main() {
	go leak()
	for i := 0; i < 20; i++ {
		go poll()
	}
	runtime.SetBlockProfileRate(1)
	runtime.SetMutexProfileFraction(1)
	pprof.NewProfile("app.leases").Add("one", 0)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	panic(http.Serve(listener, nil))
}
