internal import CaptureModel
internal import StorageKit

/// Performs an export plan, file by file, wherever it is written.
struct ExportWriter<Target: ExportTarget> {
    private let store: any ShotLookup & AssetRangeReading
    private let plan: ExportPlan
    private let target: Target
    private var files: [ExportedFile] = []
    private var sidecars: [FileKey: SidecarOutline] = [:]

    init(_ store: any ShotLookup & AssetRangeReading, _ plan: ExportPlan, _ target: Target) {
        self.store = store
        self.plan = plan
        self.target = target
    }

    mutating func run(_ progress: (Int, Int) -> Void) async throws(ExportError) -> ExportReport {
        for item in plan.items {
            let file = try await export(item)
            files.append(file)
            progress(files.count, plan.items.count)
        }
        let companions = ExportCompanions(plan: plan, store: store, sidecars: sidecars)
        let report = companions.report(of: files)
        guard !report.isEmpty || target.mayLackFiles else { return report }
        let target = target
        return try await companions.make(for: files) { (bytes, names) async throws(ExportError) in
            try await target.write(bytes, to: names)
        }
    }

    /// - Throws: If the export cannot be written. A problem with the library's file is an outcome instead.
    private mutating func export(_ item: ExportPlan.Item) async throws(ExportError) -> ExportedFile {
        var file = ExportedFile(expecting: item)
        guard item.file.isStored else { return file }
        if let problem = await problem(of: item) { return file.leftOut(problem.outcome, problem.reason) }
        var source = ExportSource(item, in: store)
        file.outcome = try await target.add(&source)
        if let failure = source.failure { return file.leftOut(failure.outcome, failure.reason) }
        file.byteCount = source.byteCount
        sidecars[item.key] = source.outline
        return file
    }

    /// Why the library's file cannot be read at all; nil if it can.
    private func problem(of item: ExportPlan.Item) async -> ExportSource.Failure? {
        do throws(StorageError) {
            if try await store.byteCount(of: item.key) != nil { return nil }
            return ExportSource.Failure(outcome: .missing, reason: "the library has lost it")
        } catch {
            return ExportSource.Failure(outcome: ExportedFile.Outcome(error), reason: error.description)
        }
    }
}
