import CaptureModel
import Testing

@testable import RigClient

@Suite struct TriggerVigilTests {
    private let start = LocalTime(nanoseconds: 0)

    private var vigil: TriggerVigil {
        TriggerVigil(start: start, patience: .seconds(3), answerLimit: .seconds(10))
    }

    @Test func aMissingCoordinatorIsToldAfterThePatience() {
        #expect(vigil.verdict(at: start + .seconds(2)) == .goOn)
        #expect(vigil.verdict(at: start + .seconds(3)) == .neverHeard)
    }

    @Test func aShotIsWaitedForAsLongAsTheCoordinatorSaysWhileItGivesSignsOfLife() {
        var vigil = vigil
        vigil.heard(from: 7, at: start + .seconds(1), answerWithin: .seconds(60))
        for second in stride(from: 4, to: 67, by: 3) {
            let now = start + .seconds(second)
            #expect(vigil.verdict(at: now) == .goOn, "at \(second) s")
            vigil.signed(by: 7, at: now, answerLimit: .seconds(5))
        }
        #expect(vigil.verdict(at: start + .seconds(67)) == .overdue)
    }

    @Test func aCoordinatorThatGivesNoSignOfLifeIsLostHoweverLongTheShotMayTake() {
        var vigil = vigil
        vigil.heard(from: 7, at: start, answerWithin: .seconds(3600))
        #expect(vigil.verdict(at: start + .seconds(14)) == .goOn)
        #expect(vigil.verdict(at: start + .seconds(15)) == .silent)
    }

    @Test func theCoordinatorsTimeoutCountsFromTheRequestWhereItHasNotTakenTheShotOn() {
        var vigil = vigil
        vigil.asked(on: 1, at: start)
        for second in stride(from: 3, to: 66, by: 3) {
            vigil.signed(by: 7, at: start + .seconds(second), answerLimit: .seconds(60))
            #expect(vigil.verdict(at: start + .seconds(second)) == .goOn, "at \(second) s")
        }
        #expect(vigil.verdict(at: start + .seconds(66)) == .overdue)
    }

    @Test func aCoordinatorThatSaysNothingOfItsTimeoutIsWaitedForFromItsLastReply() {
        var vigil = vigil
        vigil.heard(from: 7, at: start + .seconds(5))
        vigil.signed(by: 7, at: start + .seconds(20), answerLimit: nil)
        #expect(vigil.verdict(at: start + .seconds(20)) == .goOn)
        #expect(vigil.verdict(at: start + .seconds(21)) == .overdue)
    }

    @Test func aLivingCoordinatorOnTheSameConnectionIsNotAskedAgain() {
        var vigil = vigil
        vigil.asked(on: 0, at: start)
        #expect(!vigil.needsRepeat(epoch: 7, connections: 1), "it may wait for its disk")
        vigil.heard(from: 7, at: start)
        #expect(!vigil.needsRepeat(epoch: 7, connections: 1))
    }

    @Test func anotherLifeOrConnectionIsAskedAgain() {
        var vigil = vigil
        vigil.asked(on: 1, at: start)
        vigil.heard(from: 7, at: start)
        #expect(vigil.needsRepeat(epoch: 8, connections: 1))
        #expect(vigil.needsRepeat(epoch: 7, connections: 2))
        var unheard = self.vigil
        unheard.asked(on: 1, at: start)
        unheard.signed(by: 7, at: start, answerLimit: nil)
        #expect(unheard.needsRepeat(epoch: 8, connections: 1))
    }
}
