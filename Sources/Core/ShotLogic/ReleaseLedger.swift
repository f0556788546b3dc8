import CaptureModel

/// Which files nodes have been told to delete, and which failures to forget, so that each is told once for each need.
struct ReleaseLedger: Sendable {
    private var released: Set<FileKey> = []
    private var forgotten: Set<FileKey> = []

    init() {}

    /// The ledger of a resumed shot. What its manifest has was released by the run that wrote it; a node whose release
    /// was lost lists the file again.
    init(durable shot: Shot) {
        for capture in shot.captures {
            for file in capture.files {
                let key = Self.key(of: file, capture, shot.id)
                if file.isStored { released.insert(key) }
                if file.isToldFailed { forgotten.insert(key) }
            }
        }
    }

    /// Releases what a durable manifest has as stored or failed, once.
    mutating func release(in durable: Shot) -> [ShotAction] {
        var actions: [ShotAction] = []
        for capture in durable.captures {
            for file in capture.files {
                let key = Self.key(of: file, capture, durable.id)
                if file.isStored, let digest = file.digest, released.insert(key).inserted {
                    actions.append(.release(key, digest))
                } else if file.isToldFailed, capture.timing != nil, forgotten.insert(key).inserted {
                    actions.append(.forget(key))
                }
            }
        }
        return actions
    }

    /// Repeats the release of a listed file that is durable here, or of its failure, because the first one was lost.
    /// - Parameter capture: The capture in a durable manifest.
    mutating func releaseAgain(_ capture: Capture, of shot: ShotID, listed report: CaptureReport) -> [ShotAction] {
        var actions: [ShotAction] = []
        for file in capture.files {
            let key = Self.key(of: file, capture, shot)
            if file.isStored, let digest = file.digest, report.file(of: file.kind)?.digest == digest {
                released.insert(key)
                actions.append(.release(key, digest))
            } else if file.isStored || file.outcome == .failed, report.problem(of: file.kind) != nil {
                forgotten.insert(key)
                actions.append(.forget(key))
            }
        }
        return actions
    }

    private static func key(of file: CapturedFile, _ capture: Capture, _ shot: ShotID) -> FileKey {
        FileKey(capture: CaptureKey(shot: shot, device: capture.device.id), kind: file.kind)
    }
}
