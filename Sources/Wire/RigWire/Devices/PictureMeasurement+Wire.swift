public import CaptureModel
import FoundationEssentials
public import RigProtocol
import SwiftProtobuf

extension MeasureRequest {
    public init(wire: WireMeasurePictures) throws(WireError) {
        let reader = FieldReader("MeasurePictures")
        guard let region = PictureRegion(x: wire.x, y: wire.y, width: wire.width, height: wire.height) else {
            throw reader.invalid("x, y, width and height", "are not a part of a picture, in shares from 0 to 1")
        }
        self.init(
            region: region, frames: Int(try reader.number(wire.frames, "frames", in: 1...Int64(Self.frameLimit))),
            skip: Int(try reader.number(wire.skip, "skip", in: 0...Int64(Self.skipLimit))),
            wantsPicture: wire.wantsPicture)
    }

    public var wire: WireMeasurePictures {
        .with {
            ($0.x, $0.y, $0.width, $0.height) = (region.x, region.y, region.width, region.height)
            ($0.frames, $0.skip, $0.wantsPicture) = (UInt32(frames), UInt32(skip), wantsPicture)
        }
    }
}

extension PictureMeasurement {
    public init(wire: WirePictureMeasurement) throws(WireError) {
        let reader = FieldReader("PictureMeasurement")
        func part(_ value: Double, _ field: String, _ range: ClosedRange<Double> = 0...1) throws(WireError) -> Double {
            guard range.contains(value) else { throw reader.invalid(field, "is not within \(range)") }
            return value
        }
        func color(_ wire: WireColourMean, _ field: String) throws(WireError) -> ColorMean {
            ColorMean(
                red: try part(wire.red, field), green: try part(wire.green, field), blue: try part(wire.blue, field))
        }
        guard wire.picture.count <= Self.pictureByteLimit else {
            throw reader.invalid(
                "picture", "has \(wire.picture.count) bytes; at most \(Self.pictureByteLimit) are allowed")
        }
        self.init(
            frames: Int(try reader.number(wire.frames, "frames", in: 1...Int64(MeasureRequest.frameLimit))),
            first: try FrameMark(wire: wire.first), last: try FrameMark(wire: wire.last),
            linearization: try reader.word(wire.linearization, "linearization", as: Linearization.self),
            encoded: try color(wire.encoded, "encoded"), linear: try color(wire.linear, "linear"),
            spread: try part(wire.spread, "spread", 0...1e6), drift: try part(wire.drift, "drift", -1e6...1e6),
            clippedHigh: try part(wire.clippedHigh, "clipped_high"),
            clippedLow: try part(wire.clippedLow, "clipped_low"),
            picture: wire.picture.isEmpty ? nil : Array(wire.picture))
    }

    public var wire: WirePictureMeasurement {
        .with {
            $0.frames = UInt32(clamping: frames)
            ($0.first, $0.last) = (first.wire, last.wire)
            $0.linearization = linearization.rawValue
            ($0.encoded, $0.linear) = (encoded.wire, linear.wire)
            ($0.spread, $0.drift, $0.clippedHigh, $0.clippedLow) = (spread, drift, clippedHigh, clippedLow)
            $0.picture = Data(picture ?? [])
        }
    }
}

extension ColorMean {
    fileprivate var wire: WireColourMean {
        .with { ($0.red, $0.green, $0.blue) = (red, green, blue) }
    }
}
