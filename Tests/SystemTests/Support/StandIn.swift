import CaptureModel
import Foundation
import TurboJPEG

/// What stands in for a camera: it knows by itself when it exposed each of its pictures.
///
/// It runs on this machine, as the coordinator and the agents do, so its `CLOCK_MONOTONIC` is the rig's time line.
protocol StandIn: Sendable {
    /// The camera in the configuration of an agent, alone on its node or beside others.
    func camera(_ name: String, number: Int) -> NodePlan.Camera
    /// The middle of the exposure of a picture, by what the picture or the stand-in's own record says.
    func truth(of picture: StoredPicture) throws -> RigTime
    func stop() async throws
}

/// A picture that the library has, of a still or in a movie.
struct StoredPicture {
    /// JPEG.
    var bytes: [UInt8]
    /// The shot or take that it belongs to.
    var shot: Shot
    /// When it was exposed, as the rig says.
    var told: RigTime
}

/// Pictures of stand-ins, and what they say of themselves.
enum StandInPicture {
    static let (width, height) = (320, 240)
    /// As 56 squares in the luma.
    private static let (squareSide, bitCount) = (16, 56)

    /// A JPEG image of ``width`` and ``height`` with a pattern of its number.
    static func jpeg(_ number: Int = 0, comment: String? = nil) throws -> [UInt8] {
        let geometry = PlaneGeometry(width: width, height: height, subsampling: .yuv420)
        let luma = (0..<width * height).map { UInt8(truncatingIfNeeded: $0 / (7 + number % 50) + number) }
        let chroma = [UInt8](repeating: 128, count: width * height / 4)
        var jpeg: [UInt8] = []
        try JPEGEncoder().encode(geometry, y: luma.span, cb: chroma.span, cr: chroma.span, quality: 80, into: &jpeg)
        guard let comment else { return jpeg }
        let length = comment.utf8.count + 2
        jpeg.insert(contentsOf: [0xFF, 0xFE, UInt8(length >> 8), UInt8(length & 0xFF)] + Array(comment.utf8), at: 2)
        return jpeg
    }

    /// The first `count` numbers in the comment of a JPEG image, such as those of `exposed 1200 40`.
    static func numbers(_ count: Int, in jpeg: [UInt8]) throws -> [Int64] {
        var place = 2
        while place + 4 <= jpeg.count, jpeg[place] == 0xFF, jpeg[place + 1] != 0xDA {
            let end = min(place + 2 + (Int(jpeg[place + 2]) << 8 | Int(jpeg[place + 3])), jpeg.count)
            if jpeg[place + 1] == 0xFE, place + 4 <= end {
                let words = String(decoding: jpeg[(place + 4)..<end], as: UTF8.self).split(separator: " ")
                let numbers = words.compactMap { Int64($0) }.prefix(count)
                if numbers.count == count { return Array(numbers) }
            }
            place = max(end, place + 2)
        }
        throw SystemTestError("the picture does not tell \(count) numbers of itself")
    }

    /// The instant that is drawn as black and white squares, in microseconds, the highest bit first.
    static func squares(in jpeg: [UInt8]) throws -> RigTime {
        let luma = try StillCheck.luma(of: jpeg)
        let across = luma.width / squareSide
        guard across * (luma.height / squareSide) >= bitCount else { throw SystemTestError("the picture is too small") }
        let bits = (0..<bitCount).map { bit in
            let (x, y) = (bit % across * squareSide + squareSide / 2, bit / across * squareSide + squareSide / 2)
            return luma.bytes[y * luma.width + x] > 0x80
        }
        return RigTime(nanoseconds: bits.reduce(Int64(0)) { $0 << 1 | ($1 ? 1 : 0) } * 1000)
    }
}
