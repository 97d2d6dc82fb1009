import Testing

@testable import ServerKit

/// The reader of the tests refuses what is not in the format; otherwise it would prove nothing.
@Suite struct MetricsPages {
    @Test(arguments: [
        "", "# HELP homeroom_a A.\n# TYPE homeroom_a gauge\nhomeroom_a 1",
        "# TYPE homeroom_a gauge\nhomeroom_a 1\n",
        "# HELP homeroom_a A.\n# TYPE homeroom_a counter\nhomeroom_a 1\n",
        "# HELP homeroom_a A.\n# TYPE homeroom_a gauge\nhomeroom_b 1\n",
        "# HELP homeroom_a A.\n# TYPE homeroom_a gauge\nhomeroom_a 1 \n",
        "# HELP homeroom_a A.\n# TYPE homeroom_a gauge\nhomeroom_a one\n",
        "# HELP homeroom_a A.\n# TYPE homeroom_a gauge\nhomeroom_a 1\nhomeroom_a 1\n",
        "# HELP homeroom_a A.\n# TYPE homeroom_a gauge\nhomeroom_a{b=\"c\",} 1\n",
        "# HELP homeroom_a A.\n# TYPE homeroom_a gauge\nhomeroom_a{b=\"\\c\"} 1\n",
        "# HELP homeroom_a A.\n# TYPE homeroom_a gauge\nhomeroom_a{} 1\n",
        "# HELP other A.\n# TYPE other gauge\nother 1\n",
        """
        # HELP homeroom_a A.
        # TYPE homeroom_a histogram
        homeroom_a_bucket{le="1.0"} 2
        homeroom_a_bucket{le="+Inf"} 1
        homeroom_a_sum 1
        homeroom_a_count 1

        """,
    ])
    func `invalid pages are refused`(text: String) {
        #expect(throws: MetricsPage.Malformed.self) { try MetricsPage(parsing: text) }
    }

    @Test func `valid pages are read`() throws {
        let page = try MetricsPage(
            parsing: """
                # HELP homeroom_a A.
                # TYPE homeroom_a histogram
                homeroom_a_bucket{b="x\\"y",le="1.0"} 1
                homeroom_a_bucket{b="x\\"y",le="+Inf"} 3
                homeroom_a_sum{b="x\\"y"} 7.5e-05
                homeroom_a_count{b="x\\"y"} 3

                """)
        #expect(try page.value("homeroom_a_count") == 3)
        #expect(try page.value("homeroom_a_bucket", ["le": "1.0"]) == 1)
    }
}
