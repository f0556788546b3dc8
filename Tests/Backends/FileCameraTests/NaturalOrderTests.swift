import CameraKit
import Testing

@testable import FileCamera

@Suite("File camera: order of names")
struct NaturalOrderTests {
    @Test("Images are played in another order than their numbers say")
    func order() {
        let ordered = [
            "", "0.jpg", "00.jpg", "01.jpg", "1.jpg", "2.jpg", "10.jpg", "18446744073709551616.jpg",
            "99999999999999999999999999999999999999.jpg", "a", "a1b2.jpg", "a1b10.jpg", "a2b1.jpg", "img9.jpg",
            "img10.jpg", "img10a.jpg", "ä1.jpg",
        ]
        #expect(ordered.shuffled().sorted(by: NaturalOrder.precedes) == ordered)
        for (index, left) in ordered.enumerated() {
            for (other, right) in ordered.enumerated() {
                #expect(NaturalOrder.precedes(left, right) == (index < other), "\(left) and \(right)")
            }
        }
    }
}
