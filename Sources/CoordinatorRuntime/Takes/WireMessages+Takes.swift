import CaptureModel
import RigProtocol
import RigWire
import ShotLogic

extension WireOpenTake {
    init(_ machine: ShotMachine) {
        self.init()
        func count(_ phase: Capture.Phase) -> UInt32 {
            UInt32(clamping: machine.shot.captures.count { $0.phase == phase })
        }
        takeID = machine.shot.id.wire
        rigTimeNs = machine.shot.time.nanoseconds
        if let stop = machine.toldStop { stopRigNs = stop.nanoseconds }
        expected = UInt32(clamping: machine.shot.captures.count)
        armed = count(.armed)
        captured = count(.captured)
        done = count(.done)
        partial = count(.partial)
        missed = count(.missed)
        failed = count(.failed)
        marks = UInt32(clamping: machine.shot.take?.marks.count ?? 0)
    }
}

extension WireTakeMark {
    init(_ mark: TakeMark, of shot: Shot) {
        self.init()
        takeID = shot.id.wire
        markID = mark.id
        rigTimeNs = mark.time.nanoseconds
        text = mark.text
        offsetNs = (mark.time - shot.time).nanoseconds
    }
}
