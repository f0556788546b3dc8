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

    @Test func aShotOnceTakenOnIsWaitedForAsLongAsItCanTake() {
        var vigil = vigil
        vigil.heard(from: 7, at: start + .seconds(1))
        #expect(vigil.verdict(at: start + .seconds(16)) == .goOn)
        #expect(vigil.verdict(at: start + .seconds(17)) == .lost)
    }

    @Test func aLivingCoordinatorOnTheSameConnectionIsNotAskedAgain() {
        var vigil = vigil
        vigil.asked(on: 0)
        vigil.heard(from: 7, at: start)
        #expect(!vigil.needsRepeat(epoch: 7, connections: 1))
    }

    @Test func anotherLifeOrConnectionIsAskedAgain() {
        var vigil = vigil
        vigil.asked(on: 1)
        vigil.heard(from: 7, at: start)
        #expect(vigil.needsRepeat(epoch: 8, connections: 1))
        #expect(vigil.needsRepeat(epoch: 7, connections: 2))
    }
}
