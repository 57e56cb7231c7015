// Writes profiles of itself into the folder it is given: the Go side of the agreement tests.
package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"sort"
	"sync"
	"time"
)

var kept [][]byte

func recurse(n int) int {
	if n == 0 {
		runtime.Gosched()
		return len(compress(make([]byte, 1<<14)))
	}
	return recurse(n-1) + n
}

func compress(data []byte) []byte {
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	writer.Write(data)
	writer.Close()
	return out.Bytes()
}

func contend(lock *sync.Mutex, done *sync.WaitGroup) {
	defer done.Done()
	for i := 0; i < 50; i++ {
		lock.Lock()
		time.Sleep(100 * time.Microsecond)
		lock.Unlock()
	}
}

func work(until time.Time) {
	for i := 0; time.Now().Before(until); i++ {
		recurse(i % 7)
		numbers := make([]int, 5000)
		for j := range numbers {
			numbers[j] = (j * 7919) % 5003
		}
		sort.Slice(numbers, func(a, b int) bool { return numbers[a] < numbers[b] })
		if len(kept) < 200 {
			kept = append(kept, make([]byte, 1<<14))
		}
	}
}

func write(folder, name string) {
	file, err := os.Create(filepath.Join(folder, name+".pb.gz"))
	if err != nil {
		panic(err)
	}
	if err := pprof.Lookup(name).WriteTo(file, 0); err != nil {
		panic(err)
	}
	file.Close()
}

func main() {
	folder := os.Args[1]
	runtime.MemProfileRate = 4096
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	cpu, err := os.Create(filepath.Join(folder, "cpu.pb.gz"))
	if err != nil {
		panic(err)
	}
	pprof.StartCPUProfile(cpu)
	var lock sync.Mutex
	var done sync.WaitGroup
	for i := 0; i < 3; i++ {
		done.Add(1)
		go contend(&lock, &done)
	}
	work(time.Now().Add(time.Second))
	done.Wait()
	pprof.StopCPUProfile()
	cpu.Close()
	runtime.GC()
	for _, name := range []string{"heap", "allocs", "goroutine", "mutex", "block"} {
		write(folder, name)
	}
}
