public import ImageMetadata

/// What the movie of a Live Photo says of itself.
public struct LivePhotoTags: Hashable, Sendable {
    /// Upper-case UUID that the still has too.
    public var contentIdentifier: String
    /// When the movie begins.
    public var creationDate: EXIFTimestamp?
    public var make: String?
    public var model: String?
    /// Program that wrote the file, with its version.
    public var software: String?

    public init(
        contentIdentifier: String, creationDate: EXIFTimestamp? = nil, make: String? = nil, model: String? = nil,
        software: String? = nil
    ) {
        self.contentIdentifier = contentIdentifier
        self.creationDate = creationDate
        self.make = make
        self.model = model
        self.software = software
    }

    static let contentIdentifierKey = "com.apple.quicktime.content.identifier"

    /// Apple's keys; what is nil is left out.
    var tags: MovieTags {
        let texts = [
            ("content.identifier", contentIdentifier), ("creationdate", creationDate?.quickTimeText), ("make", make),
            ("model", model), ("software", software),
        ]
        return MovieTags(
            entries: texts.compactMap { key, value in value.map { ("com.apple.quicktime.\(key)", $0) } })
    }
}

extension EXIFTimestamp {
    /// As Apple's cameras write it, to the second: `2026-01-09T18:32:07+0900`.
    var quickTimeText: String {
        let parts = dateTime.split(separator: " ")
        let day = (parts.first ?? "").replacing(":", with: "-")
        return "\(day)T\(parts.last ?? "")\(offset.replacing(":", with: ""))"
    }

    /// As the movie's header wants it, in UTC: `2026-01-09T09:32:07Z`.
    var utcText: String {
        let utc = EXIFTimestamp(realtimeNanoseconds: realtimeNanoseconds, utcOffsetMinutes: 0)
        let parts = utc.dateTime.split(separator: " ")
        return "\((parts.first ?? "").replacing(":", with: "-"))T\(parts.last ?? "")Z"
    }
}
