import CameraKit
import CaptureModel
import Testing

@testable import Sound

@Suite struct SoundMachineTests {
    private let machine = MachineBox()
    private let absent = SessionTrouble(
        CameraError(.absent, device: "hw:1", operation: "snd_pcm_open", reason: "No such device"))
    private let stall = SessionTrouble(.stall, "no sound")

    @Test("A microphone is open though nothing needs sound, or closed while something does")
    func onlyWhileNeeded() {
        #expect(machine.state == .stopped)
        #expect(machine.handle(.need(.listening)) == [.open])
        #expect(machine.handle(.need(.preview)) == [])
        #expect(machine.handle(.opened) == [] && machine.state == .starting)
        #expect(machine.handle(.delivering) == [] && machine.state == .running && machine.reason == nil)
        #expect(machine.handle(.release(.listening)) == [])
        #expect(machine.handle(.release(.preview)) == [.close])
        #expect(machine.handle(.closed) == [] && machine.hardware == .closed && machine.state == .stopped)
    }

    @Test("A microphone that is let go while it opens stays open")
    func letGoWhileOpening() {
        _ = machine.handle(.need(.listening))
        #expect(machine.handle(.release(.listening)) == [])
        #expect(machine.handle(.opened) == [.close])
        #expect(machine.handle(.need(.listening)) == [], "it is closing")
        #expect(machine.handle(.closed) == [.open], "and is needed again")
    }

    @Test("A microphone that is not there is tried without a pause, or never again")
    func backoff() {
        #expect(machine.handle(.need(.listening)) == [.open])
        for wait in [250, 500, 1000, 1000] {
            #expect(machine.handle(.failed(absent)) == [.retry(after: .milliseconds(wait))])
            #expect(machine.state == .absent && machine.reason == absent.description)
            #expect(machine.handle(.need(.preview)) == [], "another wish does not shorten the wait")
            #expect(machine.handle(.retryDue) == [.open])
        }
        _ = machine.handle(.opened)
        _ = machine.handle(.delivering)
        #expect(machine.state == .running)
        #expect(machine.handle(.failed(absent)) == [.retry(after: .seconds(1))], "it had not run for long")
        #expect(machine.handle(.present) == [.open])
        _ = machine.handle(.opened)
        _ = machine.handle(.delivering)
        _ = machine.handle(.good)
        #expect(machine.handle(.failed(absent)) == [.retry(after: .milliseconds(250))])
    }

    @Test("A microphone nobody needs any more is tried again")
    func noRetryUnwanted() {
        _ = machine.handle(.need(.listening))
        _ = machine.handle(.failed(absent))
        #expect(machine.handle(.release(.listening)) == [.stopWaiting])
        #expect(machine.handle(.retryDue) == [] && machine.handle(.present) == [])
        #expect(machine.state == .stopped && machine.trouble == nil)
        #expect(machine.handle(.need(.listening)) == [.open])
    }

    @Test("A microphone that falls silent stays so")
    func stalls() {
        _ = machine.handle(.need(.listening))
        _ = machine.handle(.opened)
        _ = machine.handle(.delivering)
        #expect(machine.handle(.stalled(stall)) == [.close] && machine.state == .stalled)
        #expect(machine.handle(.closed) == [.retry(after: .milliseconds(250))])
        #expect(machine.handle(.retryDue) == [.open] && machine.state == .stalled)
    }

    @Test("Events out of order open a microphone nobody needs, or close it twice")
    func fuzz() {
        var generator = SystemRandomNumberGenerator()
        let events: [SoundMachine.Event] = [
            .need(.listening), .need(.preview), .release(.listening), .release(.preview), .opened, .delivering, .good,
            .stalled(stall), .failed(absent), .closed, .retryDue, .present,
        ]
        for _ in 0..<20_000 {
            let before = (machine.hardware, machine.isWanted)
            let event = events.randomElement(using: &generator) ?? .good
            for action in machine.handle(event) {
                switch action {
                case .open:
                    #expect(machine.isWanted && machine.hardware == .opening && before.0 != .open)
                case .close: #expect(machine.hardware == .closing && before.0 != .closing)
                case .retry: #expect(machine.isWanted && machine.hardware == .closed)
                case .stopWaiting: #expect(!machine.isWanted)
                }
            }
            #expect(machine.state != .running || machine.hardware == .open)
        }
    }
}

/// A machine that expectations can drive.
private final class MachineBox {
    private var machine = SoundMachine(firstRetry: .milliseconds(250), lastRetry: .seconds(1))

    var hardware: SoundMachine.Hardware { machine.hardware }
    var isWanted: Bool { machine.isWanted }
    var state: DeviceCondition.State { machine.state }
    var reason: String? { machine.reason }
    var trouble: SessionTrouble? { machine.trouble }

    func handle(_ event: SoundMachine.Event) -> [SoundMachine.Action] { machine.handle(event) }
}
