internal import ArgumentParser
internal import Foundation
internal import RigDocuments
internal import TimeCode
internal import TurboJPEG

/// `capctl timecode`.
struct TimeCodeCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "timecode", abstract: "Read the time code in the pixels of a virtual camera's pictures.",
        discussion: "Reads JPEG and binary PGM (P5) files, at full, half, quarter or eighth size.")

    static let examples: [CommandExample] = [
        .shown("capctl timecode node1.cam1/photo.jpg", needs: "a file")
    ]

    @OptionGroup var output: NamelessFormatOptions
    @Argument(help: "Picture files.")
    var files: [String]

    func perform(_ console: Console) async throws -> CommandStatus {
        var readings: [TimeCodeReading] = []
        for file in files {
            do {
                readings.append(try TimeCodeReading(file: file))
            } catch {
                console.note("capctl: \(file): \(error)\n")
            }
        }
        try output.show(TimeCodeReport(readings: readings), on: console)
        return readings.count == files.count ? .complete : readings.isEmpty ? .failed : .partial
    }
}

/// A binary PGM image (netpbm P5) of 8 bits.
struct PortableGrayMap: Equatable {
    var width: Int
    var height: Int
    /// `width * height` samples, top row first.
    var luma: [UInt8]

    private static let largestSide = 65_535

    /// - Returns: nil unless the bytes begin with a complete image.
    init?(_ bytes: [UInt8]) {
        guard bytes.starts(with: [UInt8(ascii: "P"), UInt8(ascii: "5")]) else { return nil }
        var rest = bytes[2...]
        guard let width = Self.number(&rest), let height = Self.number(&rest), let maximum = Self.number(&rest),
            (1...Self.largestSide).contains(width), (1...Self.largestSide).contains(height), maximum == 255,
            let separator = rest.first, Self.isSpace(separator)
        else { return nil }
        rest = rest.dropFirst()
        guard rest.count >= width * height else { return nil }
        (self.width, self.height) = (width, height)
        luma = Array(rest.prefix(width * height))
    }

    /// A decimal number after white space and comments, which run from `#` to the end of the line.
    private static func number(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        while let first = bytes.first, isSpace(first) || first == UInt8(ascii: "#") {
            if first == UInt8(ascii: "#") {
                bytes = bytes.drop { $0 != UInt8(ascii: "\n") }
            } else {
                bytes = bytes.dropFirst()
            }
        }
        let digits = bytes.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard (1...6).contains(digits.count) else { return nil }
        bytes = bytes.dropFirst(digits.count)
        return Int(String(decoding: digits, as: UTF8.self))
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (9...13).contains(byte)
    }
}

/// The time code of a picture file.
struct TimeCodeReading: Encodable {
    var camera: UInt16
    var file: String
    var frame: UInt32
    /// Mid-exposure as a date.
    var realtime: String
    /// Mid-exposure, nanoseconds since 1970.
    var realtimeNanoseconds: Integer64

    /// The limit of file size; larger files are refused.
    private static let largestFile = 256 << 20

    init(file: String) throws {
        let code = try Self.timeCode(of: try Self.bytes(of: file))
        self.file = file
        camera = code.cameraNumber
        frame = code.frameNumber
        realtimeNanoseconds = Integer64(code.realtimeNanoseconds)
        realtime = RFC3339.text(realtimeNanoseconds: code.realtimeNanoseconds)
    }

    private static func bytes(of file: String) throws -> [UInt8] {
        guard let handle = FileHandle(forReadingAtPath: file) else {
            throw CommandFailure(.other, "cannot be opened; check the name and its permissions")
        }
        defer { try? handle.close() }
        let data = try handle.read(upToCount: largestFile + 1) ?? Data()
        guard data.count <= largestFile else {
            throw CommandFailure(.other, "is larger than \(Decimals.byteText(Int64(largestFile)))")
        }
        return Array(data)
    }

    private static func timeCode(of bytes: [UInt8]) throws -> TimeCode {
        if bytes.starts(with: [0xFF, 0xD8]) {
            var image = LumaImage()
            try JPEGDecoder().decodeLuma(bytes.span, into: &image)
            return try TimeCode.decode(
                luma: image.bytes.span, width: image.width, height: image.height, stride: image.width)
        }
        guard let map = PortableGrayMap(bytes) else {
            throw CommandFailure(.other, "is neither a JPEG nor a binary 8-bit PGM (P5)")
        }
        return try TimeCode.decode(luma: map.luma.span, width: map.width, height: map.height, stride: map.width)
    }
}

/// Time codes read from files.
struct TimeCodeReport: Report {
    var readings: [TimeCodeReading]

    var document: [String: [TimeCodeReading]] { ["timecodes": readings] }

    func table(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [
            .init("REALTIME"), .init("NANOSECONDS", .right, dropped: 1), .init("FRAME", .right),
            .init("CAMERA", .right), .init("FILE", .left, .start(12)),
        ]
        let rows = readings.map {
            ["\($0.realtime)", "\($0.realtimeNanoseconds)", "\($0.frame)", "\($0.camera)", $0.file]
        }
        return Table(columns: columns, rows: rows).rendered(layout)
    }
}
