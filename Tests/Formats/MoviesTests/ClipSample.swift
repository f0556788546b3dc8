import CaptureTestSupport
import Foundation
import ImageMetadata
import Movies
import TurboJPEG

/// Clips as a camera and a microphone make them.
enum ClipSample {
    static let identifier = "7C3E9F0E-3D6C-4A2B-8F50-019A2C5E7B5A"
    /// 2026-01-02T03:04:05.123456789+01:00.
    static let date = EXIFTimestamp(realtimeNanoseconds: 1_767_319_445_123_456_789, utcOffsetMinutes: 60)

    /// A picture that differs from number to number.
    static func jpeg(_ number: Int, width: Int = 96, height: Int = 64) throws -> [UInt8] {
        let geometry = PlaneGeometry(width: width, height: height, subsampling: .yuv422)
        let sizes = geometry.planeSizes.map { $0.width * $0.height }
        let luma = (0..<sizes[0]).map { UInt8(truncatingIfNeeded: ($0 % width + $0 / width) * 2 + number * 7) }
        let chroma = [UInt8](repeating: UInt8(truncatingIfNeeded: 100 + number), count: sizes[1])
        var jpeg: [UInt8] = []
        try JPEGEncoder().encode(
            geometry, y: luma.span, cb: chroma.span, cr: chroma.span, quality: 85, into: &jpeg)
        return jpeg
    }

    /// Times of `count` frames at about 30 a second, whose intervals wander as a camera's do.
    static func times(_ count: Int, seed: UInt64 = 3, first: Int64 = 731) -> [Int64] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { first + Int64($0) * 3000 + Int64.random(in: -400...400, using: &generator) }
    }

    /// A sine of 440 Hz.
    static func sound(seconds: Double, sampleRate: Int = 48_000, channelCount: Int = 1) -> MovieSound {
        let samples = (0..<Int(seconds * Double(sampleRate))).flatMap { index -> [UInt8] in
            let value = Int16(12_000 * sin(2 * .pi * 440 * Double(index) / Double(sampleRate)))
            let bytes = [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
            return Array(repeatElement(bytes, count: channelCount).joined())
        }
        return MovieSound(samples: samples, sampleRate: sampleRate, channelCount: channelCount)
    }

    private static let pictures = Result { try (0..<90).map { try jpeg($0) } }

    /// Three seconds with the still in the middle.
    static func clip(sound: MovieSound? = ClipSample.sound(seconds: 3)) throws -> LivePhotoClip {
        let frames = zip(try pictures.get(), times(90)).map(LivePhotoClip.Frame.init)
        return LivePhotoClip(
            frames: frames, stillIndex: 45, duration: 270_000, sound: sound, contentIdentifier: identifier,
            creationDate: date, make: "Caprig", model: "Virtual ü", software: "Caprig 0.1")
    }
}
