package metrics

import "github.com/prometheus/client_golang/prometheus"

// Damage counts damaged artifacts.
type Damage struct {
	Met int64 // number of reads that failed because of damage
	// Damaged is the number of damaged artifacts at the last complete scrub. Missing is the number of
	// missing artifacts at this scrub.
	Damaged, Missing int64
	Checked, Bytes   int64 // number of artifacts and bytes that this process has scrubbed
}

// Metrics of damaged artifacts.
var (
	damageMet   = newFigure(prometheus.CounterValue, "windie_artifact_damage_met_total", "Reads that ended at damage of an artifact.")
	damageFound = newFigure(prometheus.GaugeValue, "windie_artifacts_damaged", "Artifacts damaged or missing in the last scrub, on any gateway.", "what")
	scrubbed    = newFigure(prometheus.CounterValue, "windie_scrub_artifacts_total", "Artifacts scrubbed by this gateway.")
	scrubbedIn  = newFigure(prometheus.CounterValue, "windie_scrub_bytes_total", "Bytes of artifacts scrubbed by this gateway.")

	damageFigures = []figure{damageMet, damageFound, scrubbed, scrubbedIn}
)

// collectDamage sends the metrics of damaged artifacts.
func (c *collector) collectDamage(ch chan<- prometheus.Metric) {
	if c.from.Damage == nil {
		return
	}
	d := c.from.Damage()
	damageMet.send(ch, float64(d.Met))
	damageFound.send(ch, float64(d.Damaged), "damaged")
	damageFound.send(ch, float64(d.Missing), "missing")
	scrubbed.send(ch, float64(d.Checked))
	scrubbedIn.send(ch, float64(d.Bytes))
}
