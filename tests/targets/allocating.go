// A program that keeps some of what it allocates, recorded with GODEBUG=traceallocfree=1.
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
)

// Node is what is kept: a thousand of them.
type Node struct {
	next  *Node
	value [5]int
}

// Garbage is dropped at once.
type Garbage struct {
	parts [12]*int
	more  [90]*int
}

var kept *Node
var sink any

func work(n int) {
	for i := 0; i < n; i++ {
		kept = &Node{next: kept}
		for j := 0; j < 20; j++ {
			sink = &Garbage{}
			sink = make([]byte, 10+j)
		}
	}
	sink = make([]byte, 100_000)
}

func main() {
	file, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := trace.Start(file); err != nil {
		panic(err)
	}
	ctx, task := trace.NewTask(context.Background(), "order")
	trace.Log(ctx, "customer", "Ada")
	trace.WithRegion(ctx, "first half", func() { work(500) })
	runtime.GC()
	var group sync.WaitGroup
	for i := 0; i < 4; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			defer trace.StartRegion(ctx, "deep").End()
			var deep func(int) int
			deep = func(n int) int {
				var room [64]int
				if n == 0 {
					return room[0]
				}
				return deep(n-1) + room[n%64]
			}
			deep(200)
		}()
	}
	group.Wait()
	task.End()
	work(500)
	runtime.GC()
	trace.Stop()
	file.Close()
	if kept == nil {
		panic("lost")
	}
}
