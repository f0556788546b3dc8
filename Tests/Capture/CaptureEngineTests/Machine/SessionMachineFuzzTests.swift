import CameraKit
import CaptureModel
import CaptureTestSupport
import Testing
import VirtualDevices

@testable import CaptureEngine

@Suite struct SessionMachineFuzzTests {
    private static let troubles: [SessionTrouble] = [.unplugged, .busy, .denied, .noFormat, .broken, .stall]
    private static let demands: [SessionDemand] = [.standby, .command, .preview]

    /// An event that may come at this moment: orders at any time, the hardware's words when it owes them.
    private func event(in world: MachineWorld, _ generator: inout SeededGenerator) -> SessionMachine.Event {
        let trouble = Self.troubles.randomElement(using: &generator) ?? .broken
        if Int.random(in: 0..<3, using: &generator) == 0 {
            let demand = Self.demands.randomElement(using: &generator) ?? .command
            let orders: [SessionMachine.Event] = [
                .start(demand), .release(demand), .stop, .resume, .deviceAppeared, .goodPeriod, .suspend,
                .unsuspend, .leave("for a still"), .comeBack,
                .nodeSuspended("the machine slept"), .barred(.systemPressure, "hot"), .unbarred,
            ]
            return orders.randomElement(using: &generator) ?? .stop
        }
        let isGood = Bool.random(using: &generator)
        switch world.owed {
        case .nothing: return world.wait == nil ? .start(.command) : .retryDue
        case .answerToOpen: return isGood ? .opened : .openFailed(trouble)
        case .frames: return isGood ? .firstFrame : .trouble(trouble)
        // A camera whose opening was overtaken by a stop may say that it is open, or that it is not.
        case .answerToClose: return isGood ? .closed : Bool.random(using: &generator) ? .opened : .trouble(trouble)
        }
    }

    @Test("Some order of events opens a camera twice, leaves one waiting for nothing, or tells what is not so")
    func invariants() {
        for seed in 0..<300 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var world = MachineWorld(failures: Int.random(in: 0...4, using: &generator))
            var history: [SessionMachine.Event] = []
            for _ in 0..<200 where world.faults.isEmpty {
                let next = event(in: world, &generator)
                history.append(next)
                world.tell(next)
            }
            #expect(world.faults == [], "seed \(seed): \(history.suffix(8))")
        }
    }

    @Test("Some order of events leaves a camera that works out of use, or one that was stopped open")
    func endings() {
        for seed in 0..<300 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed &+ 10_000)
            var world = MachineWorld()
            for _ in 0..<60 { world.tell(event(in: world, &generator)) }
            world.tell(.unsuspend, .unbarred, .stop)
            obey(&world, frames: false)
            #expect(world.machine.state == .stopped, "seed \(seed)")
            world.tell(.start(.command))
            obey(&world, frames: true)
            #expect(world.machine.state == .running, "seed \(seed)")
            #expect(world.faults == [])
        }
    }

    /// Lets the hardware do everything it is asked for.
    private func obey(_ world: inout MachineWorld, frames: Bool) {
        for _ in 0..<8 {
            switch world.owed {
            case .nothing: if world.wait != nil { world.tell(.retryDue) }
            case .answerToOpen: world.tell(.opened)
            case .frames: if frames { world.tell(.firstFrame) }
            case .answerToClose: world.tell(.closed)
            }
        }
    }
}
