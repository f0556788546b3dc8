import CameraKit
import CaptureModel
import CaptureTestSupport
import Foundation
import Testing

@testable import CaptureEngine

@Suite struct CostTests {
    private func cost(_ format: PixelFormat, bytesPerFrame: Int? = nil) -> SessionCost {
        SessionCostEstimate.cost(
            of: VideoFormat(pixelFormat: format, width: 1920, height: 1080, frameInterval: .milliseconds(20)),
            policy: SessionPolicy(ringDepth: .seconds(3), ringByteLimit: 50_000_000), bytesPerFrame: bytesPerFrame,
            bus: SessionCost.USBBus(number: 1, limitBytesPerSecond: 48_000_000))
    }

    @Test("Estimates at least the bandwidth of the frames")
    func estimate() {
        let raw = cost(.yuyv)
        #expect(raw.streamBytesPerSecond == 1920 * 1080 * 2 * 50)
        #expect((260...280).contains(raw.encodePermille), "50 frames of 5.4 ms")
        #expect(raw.warnings.contains { $0.contains("USB bus 1") })
        let compressed = cost(.mjpeg)
        #expect(compressed.encodePermille == 0)
        #expect(compressed.streamBytesPerSecond == 1920 * 1080 * 3 / 8 * 50)
        #expect(compressed.warnings.contains { $0.contains("ring.memory") })
        let measured = cost(.mjpeg, bytesPerFrame: 100_000)
        #expect(measured.streamBytesPerSecond == 5_000_000)
        #expect(measured.ringBytes == 15_000_000)
        #expect(measured.warnings.isEmpty)
    }

    @Test("Handles a format that no camera has")
    func absurd() {
        let format = VideoFormat(pixelFormat: .yuyv, width: .max, height: .max, frameInterval: .zero)
        let cost = SessionCostEstimate.cost(of: format, policy: SessionPolicy(), bytesPerFrame: nil, bus: nil)
        #expect(cost.streamBytesPerSecond == .max)
    }

    @Test("Assigns a camera to its own bus, or to none")
    func usbPort() throws {
        let folder = try TemporaryFolder()
        let files = FileManager.default
        let devices = folder.path + "/devices"
        try files.createDirectory(atPath: devices, withIntermediateDirectories: true)
        for (controller, bus, name, speed) in [
            ("0000:00:14.0", 1, "1-1.2", "480"), ("0000:00:15.0", 3, "3-1.2", "5000"),
            ("0000:00:14.0", 1, "1-1", "480"),
        ] {
            let device = "\(folder.path)/pci0000:00/\(controller)/usb\(bus)/\(name)"
            try files.createDirectory(atPath: device, withIntermediateDirectories: true)
            try Data("\(bus)\n".utf8).write(to: URL(filePath: device + "/busnum"))
            try Data("\(speed)\n".utf8).write(to: URL(filePath: device + "/speed"))
            try files.createSymbolicLink(atPath: "\(devices)/\(name)", withDestinationPath: device)
        }
        let port = try #require(USBPort(busInformation: "usb-0000:00:14.0-1.2", devicesFolder: devices))
        #expect(port.busNumber == 1 && port.periodicBytesPerSecond == 48_000_000)
        let fast = try #require(USBPort(busInformation: "usb-0000:00:15.0-1.2", devicesFolder: devices))
        #expect(fast.busNumber == 3 && fast.periodicBytesPerSecond == 450_000_000)
        for nowhere in [
            "usb-0000:00:16.0-1.2", "usb-", "usb--", "usb-x", "platform:vivid-000", "usb-0000:00:14.0-2", "",
        ] {
            #expect(USBPort(busInformation: nowhere, devicesFolder: devices) == nil)
        }
    }
}
