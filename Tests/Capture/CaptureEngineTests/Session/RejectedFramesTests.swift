import CaptureModel
import Testing

@testable import CaptureEngine

@Suite("Why there is no good frame")
struct RejectedFramesTests {
    private let format = VideoFormat(pixelFormat: .mjpeg, width: 640, height: 360, frameInterval: .milliseconds(100))

    private func explanation(_ rejections: [FrameIntake.Rejection]) -> String {
        var rejected = RejectedFrames()
        for rejection in rejections { rejected.note(rejection) }
        return rejected.explanation(after: .milliseconds(2049), of: format)
    }

    @Test("Counts the frames, and says what is wrong with the newest")
    func counted() {
        let other = FrameIntake.Rejection.otherSize(PixelSize(width: 640, height: 480))
        #expect(
            explanation(Array(repeating: other, count: 20))
                == "20 of 20 frames in 2.0 s were not a picture of 640x360; the newest is 640x480: "
                + "set `width: 640` and `height: 480` in `format`")
        let mixed = explanation([.flaggedErroneous, .torn("It ends early."), .torn("It has no table.")])
        #expect(
            mixed.hasPrefix("2 of 3 frames in 2.0 s were not a whole picture of 640x360; the newest: It has no table."))
    }

    @Test("Has another text and remedy for each kind")
    func kinds() {
        let texts = [
            explanation([]), explanation([.torn("It ends early.")]), explanation([.flaggedErroneous]),
            explanation([.otherSize(PixelSize(width: 8, height: 8))]),
        ]
        #expect(Set(texts).count == 4)
        for (text, remedy) in zip(texts, ["plug it in again", "cable", "another port", "`width: 8`"]) {
            #expect(text.contains(remedy))
        }
        #expect(texts[0].hasPrefix("no frame in 2.0 s"))
        #expect(texts[2].contains("1 of 1 frames in 2.0 s were flagged as erroneous by the driver"))
    }
}
