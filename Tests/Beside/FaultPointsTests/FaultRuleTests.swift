import CaptureModel
import FaultPoints
import Glibc
import PosixSupport
import Testing

@Suite struct FaultRuleTests {
    private let catalogue = FaultCatalogue([SamplePoint.self, SampleSend.self])

    @Test("a rule that is written as documented asks for something else")
    func reading() throws {
        let rule = try FaultRule(parsing: "sample.send.hello=delay:250ms,hit=3,times=always,probability=0.5,seed=9")
        #expect(rule.point == "sample.send.hello" && rule.action == .delay(.milliseconds(250)))
        #expect(rule.firstHit == 3 && rule.times == nil && rule.probability == 0.5 && rule.seed == 9)
        #expect(try FaultRule(parsing: "a=crash") == FaultRule(point: "a", action: .crash))
        #expect(try FaultRule(parsing: "a=fail:EROFS").action == .fail(EROFS))
    }

    @Test(
        "a rule with a mistake is taken for another one",
        arguments: [
            "", "a", "a=", "=crash", "a=explode", "a=crash:1", "a=delay", "a=delay:5", "a=delay:-1ms", "a=fail",
            "a=fail:EVERYTHING", "a=crash,", "a=crash,hit=0", "a=crash,hit=x", "a=crash,times=0",
            "a=crash,probability=2", "a=crash,often=1",
        ])
    func mistakes(_ text: String) {
        #expect(throws: InvalidFaultRule.self) { try FaultRule(parsing: text) }
    }

    @Test("a fault is asked for at a point that does not exist or cannot do it, and nobody says so")
    func pointsThatCannot() throws {
        #expect(try catalogue.rules(["sample.step.done=crash", "sample.send.hello=drop"]).count == 2)
        #expect(throws: InvalidFaultRule.self) { try catalogue.rules(["sample.step.gone=crash"]) }
        #expect(throws: InvalidFaultRule.self) { try catalogue.rules(["sample.step.done=drop"]) }
    }

    @Test("the list of points leaves one out or claims what it cannot do")
    func listing() {
        #expect(
            catalogue.listing == """
                sample.send.hello crash,stop,hang,delay,drop,duplicate,hold
                sample.step.begun crash,stop,hang,delay
                sample.step.done crash,stop,hang,delay

                """)
    }
}

enum SamplePoint: String, ThreadFaultPoint {
    case begun = "sample.step.begun"
    case done = "sample.step.done"
}

enum SampleSend: String, SendFaultPoint {
    case hello = "sample.send.hello"
}

enum SampleWait: String, TaskFaultPoint {
    case timer = "sample.wait.timer"
}

enum SampleFile: String, FileFaultPoint {
    case write = "sample.file.write"

    init?(_ step: FileStep, path: String) {
        guard step == .write else { return nil }
        self = .write
    }
}
