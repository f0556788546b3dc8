internal import CaptureModel
internal import StorageKit

/// The day's folder of each shot, in memory that does not grow with the number of shots: a shot is normally in the folder of the day on
/// which its id was created. Only exceptions are remembered: shots with midnight between the request and T, or whose requester's clock
/// differs from the coordinator's.
struct ShotPlaces {
    /// Small entries, by the number of the day: if a requester's clock is far off, each shot has one.
    private var elsewhere: [ShotID: Int32] = [:]
    private var days: [[String]] = []

    /// Reads the names of all shots; blocks on the disk.
    init(of reader: FolderReader) throws(StorageError) {
        for day in try reader.dayNames() {
            let minted = FolderNames.milliseconds(ofDay: day)
            for id in try reader.shotIDs(in: reader.open(day)) where minted?.contains(id.unixMilliseconds) != true {
                elsewhere[id] = number(of: day)
            }
        }
    }

    /// The number of remembered shots.
    var count: Int { elsewhere.count }

    /// Returns the day of a shot, if the library has it, as `YYYY`, `MM`, `DD`.
    func day(of id: ShotID) -> [String] {
        elsewhere[id].map { days[Int($0)] } ?? FolderNames.day(of: id)
    }

    mutating func note(_ id: ShotID, day: [String]) {
        elsewhere[id] = day == FolderNames.day(of: id) ? nil : number(of: day)
    }

    mutating func forget(_ id: ShotID) {
        elsewhere[id] = nil
    }

    /// Returns the number of a day. Searches from the end, since the day noted last is the most likely.
    private mutating func number(of day: [String]) -> Int32 {
        if let index = days.lastIndex(of: day) { return Int32(index) }
        days.append(day)
        return Int32(days.count - 1)
    }
}
