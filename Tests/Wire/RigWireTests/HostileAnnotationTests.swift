import CaptureModel
import CaptureTestSupport
import RigProtocol
import RigWire
import Testing

@Suite("Refuses hostile annotations")
struct HostileAnnotationTests {
    private static func device(_ node: String = "north", _ device: String = "cam") -> WireDeviceId {
        var id = WireDeviceId()
        (id.node, id.device) = (node, device)
        return id
    }

    @Test(arguments: [
        Hostile<WireEditShot>("reject", "too many") {
            $0.reject = [WireDeviceId](repeating: HostileAnnotationTests.device(), count: 4097)
        },
        Hostile("accept", "too many") {
            $0.accept = [WireDeviceId](repeating: HostileAnnotationTests.device(), count: 4097)
        },
        Hostile("node", "a path") { $0.reject = [HostileAnnotationTests.device("../x")] },
        Hostile("device", "empty") { $0.accept = [HostileAnnotationTests.device("north", "")] },
    ])
    func edit(hostile: Hostile<WireEditShot>) {
        var generator = SeededGenerator(seed: 1)
        let good = ShotAnnotationEdit(title: "A title").wire(of: generator.shotID())
        hostile.check(good) { _ = try ShotAnnotationEdit(wire: $0) }
    }

    @Test(arguments: [
        Hostile<WireShotAnnotation>("title, note", "two lines") { $0.title = "a\nb" },
        Hostile("title, note", "too long") { $0.note = String(repeating: "x", count: 16_385) },
        Hostile("rejected", "too many") {
            $0.rejected = [WireDeviceId](repeating: HostileAnnotationTests.device(), count: 4097)
        },
        Hostile("node", "upper case") { $0.rejected = [HostileAnnotationTests.device("North")] },
    ])
    func annotation(hostile: Hostile<WireShotAnnotation>) {
        hostile.check(ShotAnnotation(title: "A title").wire) { _ = try ShotAnnotation(wire: $0) }
    }
}
