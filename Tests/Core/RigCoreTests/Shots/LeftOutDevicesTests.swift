import CaptureModel
import Testing

@testable import RigCore

@Suite struct LeftOutDevicesTests {
    private let candidates: [SelectionCandidate]

    init() throws {
        candidates = [
            try Self.candidate("n/cam", .wide, .absent),
            try Self.candidate("n/old", DeviceType(rawValue: "telephoto"), .notConfigured),
        ]
    }

    private static func candidate(
        _ id: String, _ type: DeviceType, _ state: DeviceCondition.State
    ) throws -> SelectionCandidate {
        SelectionCandidate(
            device: DeviceDescription(id: try DeviceID(id), type: type, driver: "virtual"),
            condition: DeviceCondition(state: state))
    }

    private func taken(_ selection: Selection) -> [String]? {
        try? selection.evaluate(candidates).map(\.id.description)
    }

    private func leftOut(_ selection: Selection) -> [String] {
        selection.leftOut(of: candidates)?.devices.map(\.description) ?? []
    }

    @Test("Every choice leaves out what is not configured, and says so")
    func choices() throws {
        let any = TypeAndPosition()
        for choice in [Selection.Choice.all, .matching([any]), .first([any], per: .node), .first([], per: .rig)] {
            #expect(taken(Selection(choice: choice)) == ["n/cam"], "\(choice)")
            #expect(leftOut(Selection(choice: choice)) == ["n/old"], "\(choice)")
        }
        let wide = Selection(choice: .matching([TypeAndPosition(type: .wide)]))
        #expect(taken(wide) == ["n/cam"] && leftOut(wide) == [], "it is not meant")
        #expect(leftOut(Selection(nodes: [try NodeName("other")])) == [])
    }

    @Test("A camera that is named is taken, configured or not")
    func named() throws {
        let named = Selection(devices: [try DeviceID("n/old")])
        #expect(taken(named) == ["n/old"] && leftOut(named) == [])
        let tele = Selection(choice: .first([TypeAndPosition(type: DeviceType(rawValue: "telephoto"))], per: .rig))
        let error = #expect(throws: EmptySelection.self) { try tele.evaluate(candidates) }
        #expect(error?.description.contains("`capctl devices forget n/old`") == true)
    }

    @Test("One sentence names all devices that are left out") func sentence() throws {
        #expect(LeftOutDevices([]) == nil)
        let both = try #require(LeftOutDevices(candidates.map(\.device.id)))
        #expect(
            both.description
                == "n/cam, n/old are not configured by their nodes any more; remove them with `capctl devices forget n/cam n/old`, or put them back"
        )
    }
}
