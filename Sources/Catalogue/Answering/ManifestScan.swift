internal import CaptureModel
internal import Library

/// Answers from the manifests alone: right whatever has become of the index, and as slow as reading them.
struct ManifestScan {
    let library: LibraryReader

    func shots(_ page: ShotPage, reason: String) throws(CaptureProblem) -> CatalogueListing {
        var listing = CatalogueListing(source: .manifests(reason: reason))
        var start: (day: String, id: ShotID)?
        if let before = page.before {
            guard let day = try library.day(of: before) else { return listing }
            start = (day, before)
        }
        days: for day in try library.libraryDays().map(\.path) where page.query.takesDay(day) {
            for (id, _) in try library.stamps(of: day).reversed() {
                if let start, (day, id) >= start { continue }
                guard listing.shots.count < page.limit else { break days }
                if let record = try library.record(of: id, day: day) { listing.take(record, page) }
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
        case .damaged(let reason):
            damaged.append(DamagedShot(id: record.id, day: record.day, description: reason))
        case .unbegun: break
        }
    }
}
