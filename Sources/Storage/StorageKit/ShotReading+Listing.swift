public import CaptureModel

/// Whole listings, read page by page.
extension ShotReading {
    /// Documents named in one page.
    private static var pageSize: Int { 1000 }

    /// Every day that has shots, newest first.
    public func days() async throws(StorageError) -> [ShotDay] {
        var days: [ShotDay] = []
        while true {
            let page = try await self.days(before: days.last?.name, limit: Self.pageSize)
            days += page
            if page.count < Self.pageSize { return days }
        }
    }

    /// Every shot of a day in order of id.
    public func list(_ day: String) async throws(StorageError) -> [ShotEntry] {
        var entries: [ShotEntry] = []
        while true {
            let page = try await list(day, after: entries.last?.id, limit: Self.pageSize)
            entries += page
            if page.count < Self.pageSize { return entries }
        }
    }

    /// The newest shots, newest day first and within a day by id, whose order is that of the requests.
    /// - Parameters:
    ///   - limit: How many at most, damaged ones included.
    ///   - before: Continue after this shot, as the last one of the listing before; an unknown one lists nothing.
    public func shots(limit: Int, before: ShotID? = nil) async throws(StorageError) -> ShotListing {
        var listing = ShotListing()
        var start: (day: String, id: ShotID)?
        if let before {
            guard let day = try await day(of: before) else { return listing }
            start = (day, before)
        }
        for day in try await days().map(\.name) {
            if let start, day > start.day { continue }
            for entry in try await list(day).reversed() {
                if let start, (day, entry.id) >= start { continue }
                guard listing.shots.count + listing.damaged.count < limit else { return listing }
                if let record = try await record(of: entry.id, day: day) { listing.add(record) }
            }
        }
        return listing
    }

    /// Every shot without a result, oldest first, and what hinders reading others.
    public func openShots() async throws(StorageError) -> ShotListing {
        var listing = ShotListing()
        for day in try await days() {
            for entry in try await list(day.name).reversed() {
                guard let record = try await record(of: entry.id, day: day.name) else { continue }
                if case .shot(let shot, _) = record.content, shot.status != .open { continue }
                listing.add(record)
            }
        }
        listing.shots.reverse()
        return listing
    }
}

extension ShotListing {
    mutating func add(_ record: ShotRecord) {
        switch record.content {
        case .shot(let shot, _): shots.append(shot)
        case .damaged(let manifest): damaged.append(manifest)
        case .unbegun: unbegun.append(record.id)
        }
    }
}
