import CaptureModel
import CaptureTestSupport
import RigProtocol
import Testing

@testable import RigWire

@Suite struct SessionAbilityTests {
    @Test(arguments: ["switchInput", "switch"])
    func `The ability to replace a camera is read under the name of this and of earlier agents`(name: String) throws {
        var condition = SessionCondition(phase: .running, authorization: .authorized, readiness: .ready)
        condition.abilities.switchInput = .allowed
        var wire = condition.wire
        let index = try #require(wire.abilities.firstIndex { $0.name == "switchInput" })
        wire.abilities[index].name = name
        #expect(try SessionCondition(wire: wire).abilities.switchInput.isAllowed)
        wire.abilities[index].name = "another"
        #expect(try !SessionCondition(wire: wire).abilities.switchInput.isAllowed)
    }
}
