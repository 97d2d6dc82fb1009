import Metrics
import Testing

@Suite struct ExpositionText {
    @Test func `a family states its meaning and its type`() {
        var exposition = Exposition()
        exposition.counter("school_bells_total", "Bells that rang.", 3)
        exposition.gauge("school_room_temperature_celsius", "In the \\ corner,\nby the door.", 20.5)
        #expect(
            String(decoding: exposition.bytes, as: UTF8.self) == """
                # HELP school_bells_total Bells that rang.
                # TYPE school_bells_total counter
                school_bells_total 3
                # HELP school_room_temperature_celsius In the \\\\ corner,\\nby the door.
                # TYPE school_room_temperature_celsius gauge
                school_room_temperature_celsius 20.5

                """)
    }

    @Test func `label values are escaped`() {
        var exposition = Exposition()
        exposition.begin(.gauge, "rooms", "Rooms.")
        exposition.sample(1, [("name", "a \"b\" \\ c\nd"), ("floor", "0")])
        let line = String(decoding: exposition.bytes, as: UTF8.self).split(separator: "\n")[2]
        #expect(line == #"rooms{name="a \"b\" \\ c\nd",floor="0"} 1"#)
    }

    @Test func `infinities and NaN have their names`() {
        var exposition = Exposition()
        exposition.begin(.gauge, "odd", "Odd numbers.")
        for value in [Double.nan, .infinity, -.infinity, 0.00025, 1.5e9] {
            exposition.sample(value)
        }
        let lines = String(decoding: exposition.bytes, as: UTF8.self).split(separator: "\n")
            .dropFirst(2)
        #expect(lines == ["odd NaN", "odd +Inf", "odd -Inf", "odd 0.00025", "odd 1500000000.0"])
    }

    @Test func `buckets are cumulative, and end with infinity`() {
        let waits = Histogram(Buckets(microseconds: [1000, 10_000]))
        for nanoseconds in [0, 1_000_000, 1_000_001, 10_000_000, 3_000_000_000] {
            waits.observe(nanoseconds: nanoseconds)
        }
        var exposition = Exposition()
        exposition.begin(.histogram, "wait_seconds", "Waits.")
        exposition.sample(waits.tally, [("lane", "fast")])
        let lines = String(decoding: exposition.bytes, as: UTF8.self).split(separator: "\n")
            .dropFirst(2)
        #expect(
            lines == [
                #"wait_seconds_bucket{lane="fast",le="0.001"} 2"#,
                #"wait_seconds_bucket{lane="fast",le="0.01"} 4"#,
                #"wait_seconds_bucket{lane="fast",le="+Inf"} 5"#,
                #"wait_seconds_sum{lane="fast"} 3.012000001"#,
                #"wait_seconds_count{lane="fast"} 5"#,
            ])
    }
}
