import CaptureModel
import RigWire
import Testing

@testable import CapctlCommands

@Suite struct StreamedCamerasTests {
    private let roster: [DeviceStatus]

    init() throws {
        roster = [
            try Self.status("n1/cam1", .mjpeg), try Self.status("n1/cam2", nil), try Self.status("n1/raw1", .rggb10),
            DeviceStatus(
                device: DeviceDescription(
                    id: try DeviceID("n1/mic1"), mediaType: .audio, type: .microphone, driver: "alsa"),
                condition: DeviceCondition(state: .running)),
        ]
    }

    private static func status(
        _ id: String, _ format: PixelFormat?, _ state: DeviceCondition.State = .running
    ) throws -> DeviceStatus {
        let format = format.map {
            VideoFormat(pixelFormat: $0, width: 64, height: 48, frameInterval: .seconds(1))
        }
        return DeviceStatus(
            device: DeviceDescription(id: try DeviceID(id), driver: "v4l2"),
            condition: DeviceCondition(state: state, format: format))
    }

    @Test("Lists only live pictures, without microphones and mosaics") func all() throws {
        #expect(try StreamedCameras.of(roster, named: []).map(\.device.id.description) == ["n1/cam1", "n1/cam2"])
    }

    @Test("Reports a rig without live pictures") func none() throws {
        for (kept, reason) in [
            ("n1/raw1", "every camera streams its sensor's mosaic"), ("n1/mic1", "the rig has no camera"),
        ] {
            let error = #expect(throws: CommandFailure.self) {
                try StreamedCameras.of(roster.filter { $0.device.id.description == kept }, named: [])
            }
            #expect(error?.status == .nothingSelected && error?.message.contains(reason) == true)
        }
    }

    @Test func namedOnesCome() throws {
        let named = try ["n1/cam2", "n1/cam1", "n1/cam2"].map { try DeviceID($0) }
        #expect(try StreamedCameras.of(roster, named: named).map(\.device.id.description) == ["n1/cam1", "n1/cam2"])
    }

    @Test("Reports a name that matches nothing", arguments: ["n1/cam9", "n9/cam1", "n1/mic1"])
    func unknown(_ name: String) throws {
        let error = #expect(throws: CommandFailure.self) {
            try StreamedCameras.of(roster, named: [try DeviceID("n1/cam1"), try DeviceID(name)])
        }
        #expect(error?.status == .nothingSelected)
        #expect(error?.message.contains("no camera '\(name)'") == true)
        #expect(error?.message.contains("  n1/cam2  ") == true, "it says what there is")
    }

    @Test("Refuses to wait for pictures of a mosaic") func mosaic() throws {
        let error = #expect(throws: CommandFailure.self) {
            try StreamedCameras.of(roster, named: [try DeviceID("n1/raw1")])
        }
        #expect(error?.status == .failed)
        #expect(error?.message.contains("capctl trigger --device n1/raw1 --raw+jpeg") == true)
    }

    @Test("Names mosaics as the reason why no stream can be measured")
    func onlyMosaicsRun() throws {
        let stopped = try Self.status("n1/cam1", .mjpeg, .stopped)
        let mosaic = try Self.status("n1/raw1", .rggb10)
        for (roster, reason) in [
            ([stopped, mosaic], "the only cameras that run stream their sensor's mosaic"),
            ([stopped], "no camera runs"),
        ] {
            let error = #expect(throws: CommandFailure.self) { try StreamedCameras.measured(of: roster, named: []) }
            #expect(error?.status == .nothingSelected && error?.message.hasPrefix(reason) == true)
        }
        #expect(try StreamedCameras.measured(of: roster, named: []).map(\.description) == ["n1/cam1", "n1/cam2"])
    }

    @Test("Names the address that cannot be reached, or that sends nothing")
    func silence() throws {
        let topic = FrameTopic(device: try DeviceID("n1/cam1"), kind: .preview)
        func text(_ source: (String, Bool)?) -> String {
            PreviewCommand.silence(of: topic, from: source.map { (endpoint: $0.0, isConnected: $0.1) }, .seconds(10))
        }
        #expect(text(("tcp://10.0.0.9:7720", false)).contains("tcp://10.0.0.9:7720, where node 'n1' publishes"))
        #expect(text(("tcp://10.0.0.9:7720", false)).contains("cannot be reached from this machine"))
        #expect(text(("tcp://10.0.0.9:7720", true)).contains(" from tcp://10.0.0.9:7720; `capctl devices`"))
        #expect(!text(("tcp://10.0.0.9:7720", true)).contains("cannot be reached"))
        #expect(text(nil).hasPrefix("no picture of n1/cam1"))
    }
}
