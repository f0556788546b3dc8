internal import CaptureModel
internal import StorageKit

/// Answers from the manifests alone: right whatever has become of the index, and as slow as reading them.
struct ManifestScan {
    let library: any ShotReading

    func shots(_ page: ShotPage, reason: String) async throws(StorageError) -> CatalogueListing {
        var listing = CatalogueListing(source: .manifests(reason: reason))
        var start: (day: String, id: ShotID)?
        if let before = page.before {
            guard let day = try await library.day(of: before) else { return listing }
            start = (day, before)
        }
        days: for day in try await library.days().map(\.name) where page.query.takesDay(day) {
            for id in try await library.list(day).map(\.id).reversed() {
                if let start, (day, id) >= start { continue }
                guard listing.shots.count < page.limit else { break days }
                if let record = try await library.record(of: id, day: day) { listing.take(record, page) }
            }
        }
        listing.cutDamaged(to: page.limit)
        return listing
    }
}

extension CatalogueListing {
    /// Adds what the page asks for.
    mutating func take(_ record: ShotRecord, _ page: ShotPage) {
        switch record.content {
        case .shot(let shot, let annotation):
            if page.query.matches(shot, annotation) {
                shots.append(CatalogueEntry(shot, annotation, day: record.day))
            }
        case .damaged(let manifest):
            damaged.append(DamagedShot(id: record.id, day: record.day, description: manifest.description))
        case .unbegun: break
        }
    }
}
