import ALSAMicrophone
import CameraKit
import CaptureBackends
import CaptureModel
import Foundation
import RigConfiguration
import Testing
import V4L2Camera

@testable import NodeCore

@Suite struct DeviceInventoryTests {
    private let odd = #"7" \ #: {}"#
    private var cameras: [CameraListing] {
        [
            CameraListing(
                node: "/dev/video0", card: "Webcam\u{1B}[2J", driver: "uvcvideo", bus: "usb-0000:00:14.0-1",
                serial: odd, isSerialUnique: true, authorization: .authorized,
                configurationLines: [
                    V4L2Identity.serial(odd).configurationLine,
                    V4L2Identity.path("/dev/v4l/by-path/pci-0000:00:14.0-usb-0:1:1.0-video-index0").configurationLine,
                    V4L2Identity.busInformation("usb-0000:00:14.0-1").configurationLine,
                ]),
            CameraListing(
                node: "/dev/video2", card: "Twin", serial: "0001", isSerialUnique: false, authorization: .denied,
                remedy: "join the group"),
        ]
    }

    @Test("A line that is printed to be pasted is no valid configuration, or means another camera")
    func lines() throws {
        let table = inventory(cameras).table
        let lines = table.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { $0.hasPrefix("source:") }
        let sources = try lines.map { line in
            let text = "node: n\ndevices:\n  - name: front\n    purpose: why\n    \(line)\n"
            return try #require(
                try AgentConfiguration.parse(text: text, file: "x", sources: Backends.all.sources).devices.first
            ).source
        }
        #expect(
            sources == [
                .v4l2(.serial(odd)),
                .v4l2(.path("/dev/v4l/by-path/pci-0000:00:14.0-usb-0:1:1.0-video-index0")),
                .v4l2(.busInformation("usb-0000:00:14.0-1")),
            ])
    }

    /// As the backends say what they have found.
    private func inventory(
        _ cameras: [CameraListing], _ microphones: [MicrophoneListing] = []
    ) -> DeviceInventory {
        DeviceInventory([
            Discovery(cameras, absence: "This machine shows no V4L2 camera."),
            Discovery(microphones, absence: "This machine shows no microphone of ALSA."),
        ])
    }

    private var microphones: [MicrophoneListing] {
        [
            MicrophoneListing(
                device: "hw:CARD=Webcam,DEV=0", description: "Webcam\u{1B}[2J: USB Audio", authorization: .denied,
                remedy: "join the group")
        ]
    }

    @Test("A microphone is not listed, or its line is no valid configuration")
    func microphoneLines() throws {
        let table = inventory([], microphones).table
        let line = try #require(table.split(separator: "\n").first { $0.contains("source:") })
        let text =
            "node: n\nmicrophones:\n  - name: desk\n    purpose: why\n    \(line.drop { $0 == " " })\n"
            + "devices:\n  - { name: front, purpose: why, source: { virtual: {} } }\n"
        let source = try AgentConfiguration.parse(text: text, file: "x", sources: Backends.all.sources).microphones
            .first?.source
        #expect(source == .alsa(device: "hw:CARD=Webcam,DEV=0"))
        #expect(table.contains("denied: join the group") && table.contains("no V4L2 camera"))
        #expect(!table.contains("\u{1B}"))
        #expect(inventory(cameras).table.contains("no microphone"))
    }

    @Test("A camera's own words steer the terminal, or a refusal hides its remedy")
    func table() {
        let table = inventory(cameras).table
        #expect(!table.contains("\u{1B}"))
        #expect(table.contains("denied: join the group"))
        #expect(table.contains("serial 0001, which another camera has too"))
        #expect(inventory([]).table.contains("no V4L2 camera"))
    }

    @Test("Programs cannot read the list")
    func json() throws {
        struct Document: Decodable {
            var cameras: [CameraListing]
            var microphones: [MicrophoneListing]
        }
        let data = Data(try inventory(cameras, microphones).json().utf8)
        let document = try JSONDecoder().decode(Document.self, from: data)
        #expect(document.cameras == cameras && document.microphones == microphones)
    }
}
