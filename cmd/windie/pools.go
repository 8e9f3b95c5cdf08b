package main

import (
	"runtime"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/metrics"
	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/internal/memlimit"
	"github.com/windieos/windie/perception"
)

// pools are the resources that all users of a gateway share.
type pools struct {
	memory *fair.Pool // bytes of images and of work on them, and of guests
	cores  *fair.Pool // for screens and embeddings
	guests *fair.Pool // cores for plugins
	bodies *fair.Pool // bytes of large JSON bodies, which arrive before their memory use is known
}

// Shares of the process's memory. The rest is for the program itself, for requests, and for the
// kernel's file cache.
const (
	budgetShare = 7. / 16
	cacheShare  = 1. / 32
	bodyShare   = 1. / 16
	arriveShare = 1. / 16                  // of bodies still arriving, which take up to twice as much
	leastBodies = 4 * gateway.MaxImageBody // bytes: memory for one body with the largest image
	mostCache   = 256 << 20                // bytes
	shortShare  = 1. / 5                   // part of the budget that large images leave to small ones
)

// boundMemory sets Go's memory limit to the memory of the process, and returns the pools for it.
func (c *config) boundMemory() pools {
	limit := memlimit.Find()
	memlimit.Keep(limit)
	return c.newPools(limit)
}

// newPools returns the pools of a gateway that may use limit bytes of memory.
func (c *config) newPools(limit int64) pools {
	budget := int64(float64(limit) * budgetShare)
	return pools{
		memory: fair.New(fair.Options{Name: "bytes of memory", Capacity: budget, Long: budget - int64(float64(budget)*shortShare)}),
		bodies: fair.New(fair.Options{Name: "bytes of memory for large bodies", Capacity: max(leastBodies, int64(float64(limit)*bodyShare))}),
		cores:  perception.NewCores(runtime.GOMAXPROCS(0)),
		guests: fair.New(fair.Options{Name: "cores for plugins", Capacity: int64(runtime.GOMAXPROCS(0)), Waiting: waitingGuests}),
	}
}

// cacheBytes returns the memory for the cache of screens and lines.
func (c *config) cacheBytes() int64 {
	return min(mostCache, int64(float64(memlimit.Find())*cacheShare))
}

// arriving returns the limit for all arriving bodies and messages together, in bytes: at least one
// with the largest image.
func arriving() int64 { return max(gateway.MaxImageBody, int64(float64(memlimit.Find())*arriveShare)) }

// byName returns the pools for metrics.
func (p pools) byName() metrics.Pools {
	return metrics.Pools{"memory": p.memory, gateway.CorePool: p.cores, "plugins": p.guests, gateway.BodyPool: p.bodies}
}
