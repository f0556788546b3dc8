import CaptureTestSupport
import PosixSupport
import Testing

@Suite struct KernelInformationTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("The load of a machine is read wrongly, or a file of another form passes for one without load")
    func stalls() throws {
        let text = """
            some avg10=12.50 avg60=0.16 avg300=0.29 total=210988191
            full avg10=3.00 avg60=0.00 avg300=0.02 total=67085063

            """
        #expect(StallInformation(text) == StallInformation(some: 12.5, full: 3))
        // Kernels before 5.13 say nothing of all tasks for the processor.
        #expect(StallInformation("some avg10=98.70 avg60=1.00 avg300=1.00 total=1\n") == StallInformation(some: 98.7))
        for text in ["", "some", "some avg10=nan", "some avg10=1e9", "some avg10=-1", "full avg10=1.00", "avg10=1.00"] {
            #expect(StallInformation(text) == nil, "\(text)")
        }
        try folder.write(text, to: "memory")
        #expect(StallInformation.read("memory", in: folder.path)?.full == 3)
        #expect(StallInformation.read("cpu", in: folder.path) == nil)
    }

    private func zone(_ number: Int, _ files: [String: String]) throws {
        for (name, text) in files {
            _ = try ExternalTool.run("mkdir", "-p", "\(folder.path)/thermal_zone\(number)")
            try folder.write(text, to: "thermal_zone\(number)/\(name)")
        }
    }

    @Test("A sensor is read wrongly, one that tells nothing passes for a cold one, or a disabled trip point counts")
    func zones() throws {
        try zone(
            0,
            [
                "type": "cpu-thermal\n", "temp": "61500\n", "trip_point_0_type": "active0\n",
                "trip_point_0_temp": "50000\n",
                "trip_point_1_type": "passive\n", "trip_point_1_temp": "80000\n", "trip_point_2_type": "hot\n",
                "trip_point_2_temp": "-274000\n", "trip_point_3_type": "critical\n", "trip_point_3_temp": "110000\n",
                "trip_point_5_type": "hot\n", "trip_point_5_temp": "1\n",
            ])
        try zone(1, ["type": "iwlwifi_1\n", "temp": "\n"])
        try zone(2, ["type": "broken\n", "temp": "99999999999999999999\n"])
        try zone(4, ["type": "acpitz\n", "temp": "-5000\n", "trip_point_0_type": "?\n"])
        let zones = ThermalZone.all(in: folder.path)
        #expect(
            zones == [
                ThermalZone(
                    type: "cpu-thermal", millidegrees: 61_500,
                    tripPoints: [
                        .init(.active, 50_000), .init(.passive, 80_000), .init(.critical, 110_000),
                    ]),
                ThermalZone(type: "acpitz", millidegrees: -5000, tripPoints: []),
            ])
        #expect(ThermalZone.all(in: folder.path + "/nothere") == [])
    }
}
