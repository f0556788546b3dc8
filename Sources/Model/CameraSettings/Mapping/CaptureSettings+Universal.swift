public import CaptureModel

extension CaptureSettings.Entry {
    /// Why every camera refuses the entry; nil if there may be one that accepts it.
    public var universalRefusal: String? {
        guard case .setting(let request) = self else { return nil }
        let mapping = SettingMapping.of(request.setting)
        guard case .none = mapping.target else { return nil }
        return mapping.lost
    }
}
