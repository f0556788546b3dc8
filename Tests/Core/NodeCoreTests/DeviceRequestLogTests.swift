import CaptureModel
import Testing

@testable import NodeCore

@Suite struct DeviceRequestLogTests {
    private let epoch = Epoch.random()

    private func name(_ verdict: DeviceRequestLog.Verdict) -> String {
        switch verdict {
        case .carryOut: "carryOut"
        case .ignore: "ignore"
        case .answer(let answer):
            if case .failure(let problem) = answer.outcome { problem.code.rawValue } else { "answer" }
        }
    }

    /// Whether the coordinator that asked is still there to be answered.
    private func finish(_ number: UInt64, in log: inout DeviceRequestLog, from coordinator: Epoch) -> Bool {
        log.finish(DeviceAnswer(number: number, outcome: .success(.controls([:]))), from: coordinator)
    }

    @Test("A repeated request is carried out twice")
    func repeats() {
        var log = DeviceRequestLog()
        #expect(name(log.accept(1, from: epoch)) == "carryOut")
        #expect(name(log.accept(1, from: epoch)) == "ignore")
        #expect(finish(1, in: &log, from: epoch))
        #expect(name(log.accept(1, from: epoch)) == "answer")
    }

    @Test("An answer reaches a coordinator that did not ask, or its numbers meet an earlier one's")
    func otherCoordinator() {
        var log = DeviceRequestLog()
        #expect(name(log.accept(1, from: epoch)) == "carryOut")
        let next = Epoch.random()
        #expect(name(log.accept(1, from: next)) == "carryOut")
        #expect(!finish(1, in: &log, from: epoch))
        #expect(finish(1, in: &log, from: next))
    }

    @Test("Requests pile up without end")
    func bounds() {
        var log = DeviceRequestLog()
        for number in 1...UInt64(DeviceRequestLog.underWayLimit) {
            #expect(name(log.accept(number, from: epoch)) == "carryOut")
        }
        #expect(name(log.accept(99, from: epoch)) == "noMemory")
        #expect(finish(1, in: &log, from: epoch))
        #expect(name(log.accept(99, from: epoch)) == "carryOut")
        for number in 2...UInt64(DeviceRequestLog.underWayLimit) { _ = finish(number, in: &log, from: epoch) }
        for number in 1000...UInt64(1000 + DeviceRequestLog.answerLimit) {
            _ = log.accept(number, from: epoch)
            _ = finish(number, in: &log, from: epoch)
        }
        #expect(name(log.accept(1, from: epoch)) == "carryOut", "an answer that old is forgotten")
    }
}
