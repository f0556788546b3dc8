import CaptureModel
import Testing
import TurboJPEG

@testable import CaptureEngine

@Suite struct ReducedSizeTests {
    struct Case: Sendable {
        var picture: PixelSize
        var limit: Int
        var shape: ThumbnailShape
        var size: PixelSize
        var scales: [DecodeScale]

        init(
            _ picture: (Int, Int), _ limit: Int, _ shape: ThumbnailShape, _ size: (Int, Int),
            _ scales: DecodeScale...
        ) {
            self.picture = PixelSize(width: picture.0, height: picture.1)
            (self.limit, self.shape, self.scales) = (limit, shape, scales)
            self.size = PixelSize(width: size.0, height: size.1)
        }
    }

    @Test(
        "A small picture is larger than asked for, smaller than it could be, or announced with another size",
        arguments: [
            Case((1280, 720), 320, .whole, (320, 180), .quarter), Case((1280, 720), 319, .whole, (160, 90), .eighth),
            Case((1280, 720), 1280, .whole, (1280, 720), .full), Case((160, 120), 320, .whole, (160, 120), .full),
            Case((720, 1280), 320, .whole, (180, 320), .quarter), Case((1280, 720), 160, .square, (90, 90), .eighth),
            Case((4056, 3040), 160, .whole, (127, 95), .eighth, .quarter),
            Case((4056, 3040), 160, .square, (95, 95), .eighth, .quarter),
            Case((65_535, 65_535), 1, .whole, (1, 1), .eighth, .eighth, .eighth, .eighth, .eighth, .half),
            Case((1, 1), 0, .whole, (1, 1), .full),
        ])
    func reduced(_ item: Case) {
        let reduced = ReducedSize(of: item.picture, limit: item.limit, shape: item.shape)
        #expect(reduced.size == item.size)
        #expect(reduced.scales == item.scales)
    }

    @Test(
        "The picture that is made has another size than was announced",
        arguments: [ThumbnailShape.whole, .square], [16, 45, 160, 400])
    func made(shape: ThumbnailShape, limit: Int) throws {
        for size in [PixelSize(width: 642, height: 362), PixelSize(width: 352, height: 640)] {
            var jpeg: [UInt8] = []
            let pixels = (0..<size.width * size.height * 2).map { UInt8(truncatingIfNeeded: $0 / 7) }
            try JPEGEncoder().encodeYUYV(
                pixels.span, stride: size.width * 2, width: size.width, height: size.height, quality: 85, into: &jpeg)
            let reduced = ReducedSize(of: size, limit: limit, shape: shape)
            let header = try JPEGDecoder().verify(try PhotoReducer().reduce(jpeg, to: reduced))
            #expect(PixelSize(width: header.width, height: header.height) == reduced.size)
        }
    }
}
