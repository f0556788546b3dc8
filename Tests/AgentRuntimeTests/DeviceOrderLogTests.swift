import CaptureModel
import RigProtocol
import Testing

@testable import AgentRuntime

@Suite struct DeviceOrderLogTests {
    private let epoch = Epoch.random()

    private func name(_ verdict: DeviceOrderLog.Verdict) -> String {
        switch verdict {
        case .carryOut: "carryOut"
        case .ignore: "ignore"
        case .answer(let answer): answer.problem.code.isEmpty ? "answer" : answer.problem.code
        }
    }

    /// Whether the coordinator that asked is still there to be answered.
    private func finish(_ number: UInt64, in log: inout DeviceOrderLog, from coordinator: Epoch) -> Bool {
        log.finish(WireDeviceAnswer(number, .success(WireDeviceReply())), from: coordinator)
    }

    @Test("A repeated request is carried out twice")
    func repeats() {
        var log = DeviceOrderLog()
        #expect(name(log.take(1, from: epoch)) == "carryOut")
        #expect(name(log.take(1, from: epoch)) == "ignore")
        #expect(finish(1, in: &log, from: epoch))
        #expect(name(log.take(1, from: epoch)) == "answer")
    }

    @Test("An answer reaches a coordinator that did not ask, or its numbers meet an earlier one's")
    func otherCoordinator() {
        var log = DeviceOrderLog()
        #expect(name(log.take(1, from: epoch)) == "carryOut")
        let next = Epoch.random()
        #expect(name(log.take(1, from: next)) == "carryOut")
        #expect(!finish(1, in: &log, from: epoch))
        #expect(finish(1, in: &log, from: next))
    }

    @Test("Requests pile up without end")
    func bounds() {
        var log = DeviceOrderLog()
        for number in 1...UInt64(DeviceOrderLog.underWayLimit) {
            #expect(name(log.take(number, from: epoch)) == "carryOut")
        }
        #expect(name(log.take(99, from: epoch)) == "noMemory")
        #expect(finish(1, in: &log, from: epoch))
        #expect(name(log.take(99, from: epoch)) == "carryOut")
        for number in 2...UInt64(DeviceOrderLog.underWayLimit) { _ = finish(number, in: &log, from: epoch) }
        for number in 1000...UInt64(1000 + DeviceOrderLog.answerLimit) {
            _ = log.take(number, from: epoch)
            _ = finish(number, in: &log, from: epoch)
        }
        #expect(name(log.take(1, from: epoch)) == "carryOut", "an answer that old is forgotten")
    }
}
