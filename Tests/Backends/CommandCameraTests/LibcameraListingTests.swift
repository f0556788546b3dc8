import CameraKit
import Foundation
import Testing

@testable import CommandCamera

@Suite("Command camera: discovery", .timeLimit(.minutes(10)))
struct LibcameraListingTests {
    private static let sensor = "/base/soc/i2c0mux/i2c@1/imx708@1a"

    @Test("A camera of libcamera has the line that configures it, under its permanent id")
    func sensor() throws {
        let listing = try #require(LibcameraListing("\(Self.sensor)\timx708"))
        let line =
            "source: { command: { run: [caprig-libcamera, --camera, \"\(Self.sensor)\"], times: fd3, controls: stdin } }"
        #expect(listing.stableLine == line && listing.title == "imx708")
        #expect(listing.paragraph == ["\(Self.sensor)  imx708", "    \(line)"])
        let json = String(decoding: try JSONEncoder().encode(listing), as: UTF8.self)
        #expect(json.contains("\"model\":\"imx708\"") && json.contains("configurationLines"))
    }

    @Test("A camera with a mosaic has a second line, for the samples of its sensor; the first one stays the best")
    func samples() throws {
        let listing = try #require(LibcameraListing("\(Self.sensor)\timx708\tpRAA 4608x2592"))
        let raw =
            "source: { command: { run: [caprig-libcamera, --camera, \"\(Self.sensor)\", --raw], pictures: raw, times: fd3, controls: stdin } }"
        #expect(listing.configurationLines.count == 2 && listing.configurationLines.last == raw)
        #expect(listing.stableLine == listing.configurationLines.first && listing.stableLine != raw)
        #expect(listing.paragraph.suffix(2) == ["  for DNG, samples of 4608x2592 and no live pictures:", "    \(raw)"])
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = String(decoding: try encoder.encode(listing), as: UTF8.self)
        #expect(json.contains("\"samples\":{\"height\":2592,\"pixelFormat\":\"pRAA\",\"width\":4608}"), "\(json)")
    }

    @Test("A camera on USB is not configured twice, since V4L2 lists it")
    func usb() throws {
        let listing = try #require(LibcameraListing("\\_SB_.PCI0.XHC_-2:1.0-046d:082d\tHD Pro Webcam C920"))
        #expect(listing.stableLine == nil && listing.paragraph.count == 2)
    }

    @Test(
        "Lines of other programs are left out",
        arguments: [
            "", "nonsense", "\tmodel", "a\tb\tc", "a\tb\tpRAA 4608x2592\td", "a\tb\tGREY 640x480", "a\tb\tpRAA 640",
            "a\tb\tpRAA 0x480", "a\tb\tpRAA 640x480x2", "a\tb\tpRAA 99999999999999999999x480", "a\tb\tWXYZ 640x480",
        ])
    func nonsense(line: String) {
        #expect(LibcameraListing(Substring(line)) == nil)
    }

    @Test(
        "A node without the program lists no such camera and says nothing; one with it lists them, or how to find one")
    func discovery() async throws {
        #expect(try await CommandBackend(helper: "/nowhere/caprig-libcamera").discover() == nil)
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func found(_ script: String) async throws -> Discovery {
            let program = folder.appending(path: "caprig-libcamera").path
            try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(filePath: program))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
            return try #require(try await CommandBackend(helper: program).discover())
        }
        let two = try await found("printf '\(Self.sensor)\\timx708\\nother\\t-\\n'")
        #expect(two.listings.map(\.title) == ["imx708", "other"])
        let none = try await found("exit 1")
        #expect(none.listings.isEmpty && none.absence.contains("group video"))
        // 64 KiB are enough for hundreds of cameras.
        let flood = try await found("yes 'x\tx'")
        #expect(flood.listings.count == (1 << 16) / 4)
    }
}
