import CameraKit
import CaptureModel
import CaptureTestSupport
import Glibc
import ProgramCamera
import RigConfiguration
import Testing

@testable import AravisCamera

@Suite("aravis camera: configuration")
struct AravisConfigurationTests {
    private func configuration(_ source: String) throws -> AgentConfiguration {
        let yaml = """
            node: n
            coordinator: tcp://127.0.0.1:1
            devices:
              - name: front
                purpose: The front
                source: { aravis: { \(source) } }
            """
        return try AgentConfiguration.parse(text: yaml, file: "agent.yaml", sources: Self.sources)
    }

    private static let sources = ([AravisBackend()] as [any CaptureBackend]).sources

    @Test("Reads what it writes, and passes it to the helper")
    func roundTrip() throws {
        let source =
            "serial: \"000123\", framesPerSecond: 20, packetSize: 9000, resend: false, controls: [SensorBias], settings: { Gamma: \"0.8\" }"
        let read = try configuration(source)
        let camera = try #require(read.devices[0].source.configuration as? AravisCameraConfiguration)
        #expect(
            camera.program.command == [
                "caprig-aravis", "--serial", "000123", "--packet-size", "9000", "--no-resend", "--control",
                "SensorBias", "--set", "Gamma=0.8",
            ])
        #expect(camera.program.arrival.framesPerSecond == 20 && camera.hardware == "aravis:000123")
        let again = try AgentConfiguration.parse(text: try read.yaml(), file: "again.yaml", sources: Self.sources)
        #expect(again.devices[0].source == read.devices[0].source)
    }

    @Test("A camera that is to expose at T is opened with the keys of its actions")
    func scheduled() throws {
        let read = try configuration("serial: \"1\", exposure: scheduled")
        let camera = try #require(read.devices[0].source.configuration as? AravisCameraConfiguration)
        #expect(camera.exposure == .scheduled && camera.framesPerSecond == 4)
        #expect(camera.program.command.suffix(2) == ["--action-keys", "1130459250:1:1"])
        let again = try AgentConfiguration.parse(text: try read.yaml(), file: "again.yaml", sources: Self.sources)
        #expect(again.devices[0].source == read.devices[0].source)
    }

    @Test(
        "Refuses a camera without a name or with two, and names that are not those of features",
        arguments: [
            ("framesPerSecond: 10", "exactly one of `serial`"),
            ("serial: \"1\", address: 10.0.0.2", "exactly one of `serial`"),
            ("serial: \"1\", packetSize: 100", "576"), ("serial: \"1\", framesPerSecond: 0", "0.01"),
            ("serial: \"1\", controls: [\"Gain Auto\"]", "GenICam feature"),
            ("serial: \"1\", settings: { \"a=b\": \"1\" }", "arv-tool"),
            ("serial: \"1\", exposure: sheduled", "did you mean 'scheduled'"),
            ("serial: \"1\", serail: 2", "did you mean 'serial'"),
        ])
    func refused(_ source: String, _ expected: String) {
        do {
            _ = try configuration(source)
            Issue.record("'\(source)' was accepted")
        } catch {
            #expect("\(error)".contains(expected), "\(error)")
        }
    }

    @Test("Shows a found camera with the line of its configuration")
    func listing() throws {
        let listing = try #require(AravisListing("22334455\tAcme\tOne 5 MP\tGigEVision\t192.168.1.20"))
        #expect(listing.stableLine == #"source: { aravis: { serial: "22334455" } }"#)
        #expect(listing.title == "Acme One 5 MP" && listing.paragraph[0].contains("192.168.1.20"))
        let other = try #require(AravisListing("\tAcme\tOne\tUSB3Vision\tUSB3"))
        #expect(other.stableLine == nil && other.paragraph.contains { $0.contains("address") })
        let odd = try #require(AravisListing("a\"b\tAcme\tOne\tUSB3Vision\tUSB3"))
        #expect(odd.stableLine == #"source: { aravis: { serial: "a\"b" } }"#)
        #expect(AravisListing("nonsense") == nil)
    }

    @Test("Discovers nothing without the helper, and what the helper lists with it")
    func discovery() async throws {
        #expect(try await AravisBackend(helper: "no-such-program-anywhere").discover() == nil)
        let place = try TemporaryFolder()
        let lines = "1\\tAcme\\tOne\\tGigEVision\\t10.0.0.2\\nnonsense\\n"
        let path = try place.write(Array("#!/bin/sh\nprintf '\(lines)'\n".utf8), as: "helper")
        _ = unsafe chmod(path, 0o755)
        let found = try #require(await AravisBackend(helper: path).discover())
        #expect(found.listings.map(\.title) == ["Acme One"] && found.absence.contains("GigE"))
    }
}
