import CaptureModel
import CaptureTestSupport
import RigTestSupport
import Testing

@testable import RigCore

@Suite struct GatewayListTests {
    private var list = GatewayList()

    private func at(_ seconds: Int) -> LocalTime { LocalTime(nanoseconds: 0) + .seconds(seconds) }

    private func gateway(_ number: Int, certificate: ContentDigest? = nil) -> GatewayAddress {
        GatewayAddress(address: "https://rig-\(number):7780/", certificate: certificate)
    }

    @Test mutating func `a gateway is listed for as long as its announcements last`() {
        #expect(list.note(gateway(1), by: "web", at: at(0)) == nil)
        #expect(list.gateways(at: at(89)).map(\.announcement.address) == ["https://rig-1:7780/"])
        #expect(list.gateways(at: at(90)).isEmpty)
        #expect(list.note(gateway(1), by: "web", at: at(89)) == nil)
        #expect(list.gateways(at: at(178)).count == 1)
    }

    @Test mutating func `a further announcement replaces the one before`() {
        let digest = Samples.digest([1])
        _ = list.note(gateway(1), by: "web", at: at(0))
        _ = list.note(gateway(1, certificate: digest), by: "web", at: at(30))
        #expect(list.gateways(at: at(30)).map(\.announcement.certificate) == [digest])
    }

    @Test mutating func `a gateway that ends is no longer listed`() {
        _ = list.note(gateway(1), by: "web", at: at(0))
        _ = list.note(gateway(2), by: "web", at: at(0))
        #expect(
            list.note(
                GatewayAddress(address: "https://rig-1:7780/", certificate: nil, isLast: true), by: "web",
                at: at(1))
                == nil)
        #expect(list.gateways(at: at(1)).map(\.announcement.address) == ["https://rig-2:7780/"])
    }

    @Test mutating func `gateways are in order of name and address`() {
        for (name, number) in [("web-2", 1), ("web", 2), ("web", 1)] {
            _ = list.note(gateway(number), by: name, at: at(0))
        }
        #expect(
            list.gateways(at: at(1)).map { "\($0.name) \($0.announcement.address)" } == [
                "web https://rig-1:7780/", "web https://rig-2:7780/", "web-2 https://rig-1:7780/",
            ])
    }

    @Test mutating func `a full list refuses another gateway until one has fallen silent`() {
        for number in 0..<GatewayList.limit { #expect(list.note(gateway(number), by: "web", at: at(number)) == nil) }
        #expect(list.note(gateway(99), by: "web", at: at(89)) != nil)
        #expect(list.note(gateway(3), by: "web", at: at(89)) == nil)
        #expect(list.note(gateway(99), by: "web", at: at(90)) == nil)
        #expect(list.gateways(at: at(90)).count == GatewayList.limit)
    }
}
