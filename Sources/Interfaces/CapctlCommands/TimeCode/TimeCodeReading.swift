internal import Foundation
internal import TimeCode
internal import TurboJPEG

/// The time code of a picture file.
struct TimeCodeReading: Encodable {
    var camera: UInt16
    var file: String
    var frame: UInt32
    /// Mid-exposure as a date.
    var realtime: String
    /// Mid-exposure, nanoseconds since 1970.
    var realtimeNanoseconds: Int64

    /// Larger files are no pictures this program reads.
    private static let largestFile = 256 << 20

    init(file: String) throws {
        let code = try Self.timeCode(of: try Self.bytes(of: file))
        self.file = file
        camera = code.cameraNumber
        frame = code.frameNumber
        realtimeNanoseconds = code.realtimeNanoseconds
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

    var table: String {
        let columns: [Table.Column] = [
            .init("REALTIME"), .init("NANOSECONDS", .right), .init("FRAME", .right), .init("CAMERA", .right),
            .init("FILE"),
        ]
        let rows = readings.map {
            ["\($0.realtime)", "\($0.realtimeNanoseconds)", "\($0.frame)", "\($0.camera)", $0.file]
        }
        return Table(columns: columns, rows: rows).rendered()
    }
}
