// Fetches pages from a server of its own with sixteen workers, logs each to a slow log, and hands
// the pages through a short queue to two readers that count words. The same as fetch.py.
//
//	fetch SECONDS BLOCK.pb.gz MUTEX.pb.gz
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	nWorkers    = 16
	nReaders    = 2
	queueLength = 4
	writeTime   = time.Millisecond // what the log's disk takes for a line
)

// slowDisk is where the log is written.
type slowDisk struct{}

func (slowDisk) Write(line []byte) (int, error) {
	time.Sleep(writeTime)
	return len(line), nil
}

type wordCount struct {
	mutex sync.Mutex
	words map[string]int
}

func (count *wordCount) add(page string) {
	count.mutex.Lock()
	defer count.mutex.Unlock()
	for _, word := range strings.Fields(page) {
		count.words[word]++
	}
}

func servePage(writer http.ResponseWriter, request *http.Request) {
	fmt.Fprintf(writer, "%s%s", request.URL.Path, strings.Repeat(" word", 200))
}

func fetchPages(client *http.Client, address string, until time.Time, pages chan<- string) {
	for number := 0; time.Now().Before(until); number++ {
		response, err := client.Get("http://" + address + "/" + strconv.Itoa(number))
		if err != nil {
			log.Fatal(err)
		}
		page, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			log.Fatal(err)
		}
		log.Printf("fetched %d bytes", len(page))
		pages <- string(page)
	}
}

func readPages(pages <-chan string, count *wordCount) {
	for page := range pages {
		count.add(page)
	}
}

func save(name, path string) {
	file, err := os.Create(path)
	if err == nil {
		err = pprof.Lookup(name).WriteTo(file, 0)
	}
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	seconds, err := strconv.Atoi(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	log.SetOutput(slowDisk{})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go http.Serve(listener, http.HandlerFunc(servePage))
	runtime.SetBlockProfileRate(10_000)
	runtime.SetMutexProfileFraction(1)

	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: nWorkers}}
	pages := make(chan string, queueLength)
	count := &wordCount{words: map[string]int{}}
	var workers, readers sync.WaitGroup
	until := time.Now().Add(time.Duration(seconds) * time.Second)
	for range nWorkers {
		workers.Go(func() { fetchPages(client, listener.Addr().String(), until, pages) })
	}
	for range nReaders {
		readers.Go(func() { readPages(pages, count) })
	}
	workers.Wait()
	close(pages)
	readers.Wait()
	save("block", os.Args[2])
	save("mutex", os.Args[3])
	fmt.Println(count.words["word"])
}
