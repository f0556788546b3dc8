internal import CaptureModel
internal import PosixSupport

/// What the folder of deferred work holds at a start.
struct DeferredScan {
    /// What a capture may still get done.
    private(set) var works: [CaptureKey: DeferredWork] = [:]

    private let folder: Folder
    private static let byteLimit = 1 << 20

    /// Takes no notice of work that cannot be read, or of which something is not there: its capture says that it was not finished.
    init(_ folder: Folder) throws(PosixError) {
        self.folder = folder
        for name in try folder.names() {
            guard let key = SpoolNames.key(of: name), name == SpoolNames.deferred(key, .work),
                let bytes = try? folder.read(name, limit: Self.byteLimit), let work = DeferredWork(bytes),
                work.key == key, Set(work.kinds.flatMap(\.deferredSources)).allSatisfy({ hasFile(key, $0) })
            else { continue }
            works[key] = work
        }
    }

    private func hasFile(_ key: CaptureKey, _ part: DeferredPart) -> Bool {
        (try? folder.entry(SpoolNames.deferred(key, part)))??.kind == .file
    }

    /// Forgets and removes what no capture owes.
    /// - Parameter newer: Captures of a newer version, whose work is not this one's to touch.
    mutating func sweep(_ reports: [CaptureKey: CaptureReport], newer: Set<CaptureKey>) throws(PosixError) {
        works = works.filter { key, work in reports[key].map { work.isOwed(by: $0) } ?? false }
        for name in try folder.names() {
            guard let key = SpoolNames.key(of: name), works[key] == nil, !newer.contains(key) else { continue }
            // What stays takes room and does no harm; the next start tries again.
            try? folder.remove(name)
        }
    }
}

extension DeferredWork {
    /// Whether something of it is still to be done.
    func isOwed(by report: CaptureReport) -> Bool { kinds.contains(where: report.owed.contains) }
}
