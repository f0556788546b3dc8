import CameraKit
import CaptureModel
import Testing

@testable import AravisCamera

@Suite("aravis camera: packets of actions")
struct ActionCommandTests {
    @Test("A scheduled action command has the bytes of GigE Vision 2.0")
    func command() {
        let command = ActionCommand(
            keys: .init(device: 0x0102_0304, group: 0x0506_0708, mask: 0x090A_0B0C), request: 0xA1B2,
            time: 0x1122_3344_5566_7788)
        #expect(
            command.bytes == [
                0x42, 0x81, 0x01, 0x00, 0x00, 0x14, 0xA1, 0xB2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0x11, 0x22,
                0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
            ])
        #expect(command.bytes.hexadecimal == "428101000014a1b20102030405060708090a0b0c1122334455667788")
        #expect([UInt8](hexadecimal: command.bytes.hexadecimal) == command.bytes)
    }

    @Test("An acknowledgement tells status and request, and nothing else is taken for one")
    func acknowledgement() {
        let whole: [UInt8] = [0x80, 0x16, 0x01, 0x01, 0, 0, 0xA1, 0xB2]
        let read = ActionAcknowledgement(whole)
        #expect(read?.status == .late && read?.request == 0xA1B2)
        for count in 0..<8 { #expect(ActionAcknowledgement(Array(whole[..<count])) == nil) }
        #expect(ActionAcknowledgement(whole + [0]) == nil, "its length says that nothing follows")
        #expect(ActionAcknowledgement([0, 0, 0x00, 0x83, 0, 0, 0, 1]) == nil, "of a register that was written")
    }

    @Test(
        "Every status but success refuses the exposure, with its reason",
        arguments: [
            (UInt16(0x8013), ExposureRefusal.Cause.clock, "NO_REF_TIME"), (0x8015, .conflict, "OVERFLOW"),
            (0x8016, .tooSoon, "ACTION_LATE"), (0x8FFF, .camera, "0x8fff"),
        ])
    func statuses(_ code: UInt16, _ cause: ExposureRefusal.Cause, _ text: String) throws {
        let refusal = try #require(ActionStatus(code: code).refusal)
        #expect(refusal.cause == cause && refusal.reason.contains(text), "\(refusal.reason)")
        #expect(ActionStatus(code: 0).refusal == nil)
    }

    @Test("Text that is not pairs of hexadecimal digits has no bytes", arguments: ["0", "0g", "+1", "-1", "00 1", "é"])
    func digits(_ text: String) {
        #expect([UInt8](hexadecimal: text) == nil)
    }
}
