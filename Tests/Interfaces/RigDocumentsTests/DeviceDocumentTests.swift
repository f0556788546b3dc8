import CaptureModel
import RigClient
import RigDocuments
import Testing

@Suite struct DeviceDocumentTests {
    /// Integers of a condition that are small.
    private static let smallNumbers: Set<String> = [
        "format.width", "format.height", "session.attempt", "session.cost.bus.number", "session.cost.encodePermille",
        "session.largerPhoto.dimensions.height", "session.largerPhoto.dimensions.width",
        "session.alignment.corrections", "session.alignment.restarts", "session.livePhotosInProgress",
        "session.recording.frameCount", "session.recording.segmentNumber",
    ]

    /// The paths of the small integers of a condition that is at a path.
    private static func smallNumbers(of condition: String) -> Set<String> {
        Set(smallNumbers.map { "\(condition).\($0)" })
    }

    private static func paths(of value: some Encodable) throws -> Set<String> { try ReadDocument(value).paths }

    @Test("Lists devices with every member of their descriptions and conditions") func list() throws {
        let camera = try SampleDevices.camera()
        let read = try ReadDocument(DevicesDocument([camera]))
        #expect(try read.paths == Self.paths(of: ["devices": [camera]]))
        let small = Self.smallNumbers(of: "devices[].condition").union(["devices[].device.orientation"])
        #expect(read.numbers == small)
    }

    @Test("Writes the integers of a condition that need 64 bits as strings") func integers() throws {
        let read = try ReadDocument(DevicesDocument([try SampleDevices.camera()]))
        func text(_ path: String) -> String { read.texts("devices[].condition." + path).joined(separator: " ") }
        let counters = [
            "delivered", "droppedByDevice", "droppedByNode", "flaggedErroneous", "stalls", "torn", "trimmed", "damaged",
        ].map { text("counters.\($0)") }
        #expect(counters == ["18446744073709551615", "1", "2", "3", "4", "5", "6", "7"])
        #expect(text("format.frameIntervalNanoseconds") == "33333333")
        #expect(text("phase.midExposure") == "9223372036854775807")
        #expect(text("phase.periodNanoseconds") == "33333334")
        #expect(text("phase.boundNanoseconds") == "9007199254740993")
        #expect(text("phase.periodBoundNanoseconds") == "77")
        #expect(text("session.cost.streamBytesPerSecond") == "30000000")
        #expect(text("session.cost.ringBytes") == "10")
        #expect(text("session.cost.ringLimitBytes") == "20")
        #expect(text("session.cost.bus.limitBytesPerSecond") == "24000000")
        #expect(text("session.largerPhoto.leadNanoseconds") == "4000000000")
        #expect(text("session.alignment.latenessNanoseconds") == "-9007199254740993")
        #expect(text("session.alignment.boundNanoseconds") == "73000")
        #expect(text("session.recording.byteCount") == "9007199254740993")
        #expect(text("session.recording.durationNanoseconds") == "3000000000")
    }

    @Test("Omits what is not known of a device") func absent() throws {
        let device = DeviceDescription(id: try DeviceID("n1/cam1"), driver: "v4l2")
        let status = DeviceStatus(device: device, condition: DeviceCondition(state: .absent))
        let read = try ReadDocument(DevicesDocument([status]))
        #expect(read.members(of: "devices[].condition") == ["counters", "state"])
    }

    @Test("Describes a device with its formats, and the values of its controls as strings") func details() throws {
        let details = try SampleDevices.details()
        let read = try ReadDocument(DeviceDetailsDocument(details))
        let settings = read.paths.filter { $0.hasPrefix("capabilities.settings") }
        #expect(try read.paths.subtracting(settings) == Self.paths(of: details))
        var small = Self.smallNumbers(of: "condition").union(["device.orientation"])
        for side in ["widths", "heights"] {
            for end in ["smallest", "largest", "step"] { small.insert("capabilities.formats[].sizes[].\(side).\(end)") }
        }
        #expect(read.numbers == small)
        let controls = "capabilities.controls[]."
        #expect(read.texts(controls + "minimum") == ["-9223372036854775808", "0"])
        #expect(read.texts(controls + "maximum") == ["9223372036854775807", "1"])
        #expect(read.texts(controls + "step") == ["2", "1"])
        #expect(read.texts(controls + "defaultValue") == ["156", "0"])
        #expect(read.texts(controls + "value") == ["9007199254740993", "1"])
        #expect(read.texts(controls + "menu[].index") == ["1"])
        let interval = "capabilities.formats[].sizes[].intervals[]."
        #expect(read.texts(interval + "shortestNanoseconds") == ["33333333"])
        #expect(read.texts(interval + "longestNanoseconds") == ["1000000000"])
    }

    @Test("Describes what a camera supports of each common setting, in the text grammar of settings") func settings()
        throws
    {
        var details = try SampleDevices.details()
        details.capabilities?.controls = [
            DeviceControl(
                name: "exposure_time_absolute", kind: .integer, minimum: 1, maximum: 5000, defaultValue: 156,
                unit: "100 µs", value: 80)
        ]
        let read = try ReadDocument(DeviceDetailsDocument(details))
        let settings = "capabilities.settings[]"
        #expect(read.members(of: settings).isSuperset(of: ["choices", "controls", "lost", "name", "obstacle"]))
        #expect(read.texts(settings + ".name").count == 29 && read.texts(settings + ".lost").count == 29)
        #expect(read.texts(settings + ".controls[]") == ["exposure_time_absolute", "exposure_time_absolute"])
        #expect(read.texts(settings + ".current").contains("8ms"))
        #expect(read.texts(settings + ".maximum").contains("500ms"))
        #expect(read.texts(settings + ".obstacle").contains("V4L2 has no control for it."))
        #expect(read.numbers(outside: "capabilities").filter { $0.contains("settings") }.isEmpty)
    }

    @Test("Names the controls that were set, and the devices that were removed") func changes() throws {
        let device = try DeviceID("n1/cam1")
        let set = try ReadDocument(ControlValuesDocument(device, values: ["gain": .max]))
        #expect(set.texts("controls.gain") == ["9223372036854775807"] && set.texts("device") == ["n1/cam1"])
        #expect(try ReadDocument(ForgottenDevicesDocument([device])).texts("forgotten[]") == ["n1/cam1"])
    }

    @Test("Says whether a camera can be switched, and why not") func switching() throws {
        let (device, replacement) = (try DeviceID("n1/cam1"), try DeviceName("cam2"))
        let free = try ReadDocument(SwitchAnswerDocument(device, to: replacement, nil))
        #expect(free.members() == ["device", "isAllowed", "replacement"])
        let objection = SwitchObjection(.deviceInUse, RigProblem(.conflict, "it runs"))
        let read = try ReadDocument(SwitchAnswerDocument(device, to: replacement, objection))
        #expect(read.members() == ["device", "isAllowed", "objection", "replacement"])
        #expect(read.texts("objection.reason") == ["deviceInUse"])
        #expect(read.texts("objection.problem.code") == ["conflict"])
        #expect(read.texts("objection.problem.message") == ["it runs"])
    }

    @Test("Reports for each camera of a session command its condition or its problem") func sessions() throws {
        let (done, refused) = (try DeviceID("n1/cam1"), try DeviceID("n1/cam2"))
        let result = SessionResult(
            device: done, condition: try SampleDevices.camera().condition, changes: ["no clips"])
        let error = RigClientError(.refused("conflict"), operation: "stop", endpoint: "tcp://x", cause: "it records")
        let read = try ReadDocument(
            SessionsDocument(
                [SessionDocument(done, .success(result)), SessionDocument(refused, .failure(error))],
                leftOut: LeftOutDevices([try DeviceID("n1/old")])))
        #expect(read.members() == ["notConfigured", "sessions"])
        #expect(read.members(of: "sessions[]") == ["changes", "condition", "device", "problem"])
        #expect(read.texts("sessions[].device") == ["n1/cam1", "n1/cam2"])
        #expect(read.texts("sessions[].changes[]") == ["no clips"] && read.texts("notConfigured[]") == ["n1/old"])
        #expect(read.texts("sessions[].problem").count == 1)
        #expect(read.numbers == Self.smallNumbers(of: "sessions[].condition"))
    }
}
