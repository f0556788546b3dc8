import CaptureModel
import RigProtocol
import RigWire

extension EventBatch {
    var wire: WireEventBatch {
        var batch = WireEventBatch()
        batch.events = events.map(\.wire)
        if let follows {
            batch.follows.epoch = follows.epoch.rawValue
            batch.follows.sequence = follows.sequence
        }
        return batch
    }
}
