/// Why a camera does not accept a value, as a sentence without the setting's name.
struct SettingRefusal: Error, Hashable {
    var reason: String

    init(_ reason: String) { self.reason = reason }
}
