import CameraKit
import CaptureModel
import RigConfiguration
import Testing

@testable import GPhotoCamera

@Suite("gphoto camera: configuration")
struct GPhotoConfigurationTests {
    private func configuration(_ source: String) throws -> AgentConfiguration {
        let yaml = """
            node: n
            coordinator: tcp://127.0.0.1:1
            devices:
              - name: booth
                purpose: The booth
                source: { gphoto: { \(source) } }
            """
        return try AgentConfiguration.parse(text: yaml, file: "agent.yaml", sources: Self.sources)
    }

    private static let sources = ([GPhotoBackend()] as [any CaptureBackend]).sources

    @Test("Reads what it writes")
    func roundTrip() throws {
        let source =
            "serial: \"000123\", width: 6000, height: 4000, trigger: wired, secondsPerPicture: 2.5, lagMilliseconds: 80, emptyCard: false, settings: { iso: \"400\", f-number: f/8 }"
        let read = try configuration(source)
        let camera = try #require(read.devices[0].source.configuration as? GPhotoCameraConfiguration)
        #expect(camera.settings.map(\.name) == ["iso", "f-number"] && camera.settings.map(\.value) == ["400", "f/8"])
        #expect(camera.trigger == .wired && !camera.emptyCard && camera.lag == .milliseconds(80))
        #expect(camera.command == ["caprig-gphoto", "--serial", "000123"])
        let again = try AgentConfiguration.parse(text: try read.yaml(), file: "again.yaml", sources: Self.sources)
        #expect(again.devices[0].source == read.devices[0].source)
    }

    @Test(
        "Refuses a camera without a name or a size, and a setting that is none",
        arguments: [
            ("width: 6000, height: 4000", "names no camera"),
            ("serial: \"1\", width: 6000", "height"),
            ("serial: \"1\", width: 6000, height: 4000, trigger: radio", "command"),
            ("serial: \"1\", width: 6000, height: 4000, settings: { \"a b\": \"1\" }", "--list-config"),
            ("serial: \"1\", width: 6000, height: 4000, serail: 2", "did you mean 'serial'"),
        ])
    func refused(_ source: String, _ expected: String) {
        do {
            _ = try configuration(source)
            Issue.record("'\(source)' was accepted")
        } catch {
            #expect("\(error)".contains(expected), "\(error)")
        }
    }

    @Test("Two devices may not be one camera")
    func hardware() throws {
        let one = GPhotoCameraConfiguration(serial: "1", width: 320, height: 240)
        var other = one
        other.trigger = .wired
        #expect(one.hardware == other.hardware && one.hardware != nil)
        #expect(GPhotoCameraConfiguration(serial: "2", width: 320, height: 240).hardware != one.hardware)
    }

    @Test("Shows a found camera with the lines of its configuration, and never a line that is not complete")
    func listing() throws {
        let listing = try #require(GPhotoListing("usb:001,005\tNikon Z 6\t3012345"))
        #expect(listing.stableLine == nil && listing.title == "Nikon Z 6")
        #expect(listing.paragraph.contains { $0.contains(#"serial: "3012345""#) })
        let other = try #require(GPhotoListing("usb:001,006\tCanon EOS 400D\t"))
        #expect(other.serial == nil && other.paragraph.contains { $0.contains("no serial number") })
        #expect(GPhotoListing("nonsense") == nil)
    }
}
