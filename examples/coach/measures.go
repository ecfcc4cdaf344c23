package coach

import (
	"encoding/json"
	"fmt"
)

// measurementsData are a call's values: pointers, for each is optional.
type measurementsData struct {
	WeightKG     *json.Number `json:"weight_kg,omitempty" desc:"Body weight in kilograms." min:"20" max:"400"`
	BodyFatPct   *json.Number `json:"body_fat_pct,omitempty" desc:"Body fat in percent." min:"1" max:"75"`
	MuscleMassKG *json.Number `json:"muscle_mass_kg,omitempty" desc:"Muscle mass in kilograms." min:"5" max:"200"`
	NeckCM       *json.Number `json:"neck_cm,omitempty" desc:"Neck girth in centimetres." min:"15" max:"100"`
	ShouldersCM  *json.Number `json:"shoulders_cm,omitempty" desc:"Girth around the shoulders in centimetres." min:"50" max:"250"`
	ChestCM      *json.Number `json:"chest_cm,omitempty" desc:"Chest girth in centimetres." min:"40" max:"250"`
	ArmCM        *json.Number `json:"arm_cm,omitempty" desc:"Upper arm girth in centimetres." min:"10" max:"100"`
	ForearmCM    *json.Number `json:"forearm_cm,omitempty" desc:"Forearm girth in centimetres." min:"10" max:"80"`
	WaistCM      *json.Number `json:"waist_cm,omitempty" desc:"Waist girth in centimetres." min:"30" max:"300"`
	HipCM        *json.Number `json:"hip_cm,omitempty" desc:"Hip girth in centimetres." min:"40" max:"300"`
	ThighCM      *json.Number `json:"thigh_cm,omitempty" desc:"Thigh girth in centimetres." min:"20" max:"150"`
	CalfCM       *json.Number `json:"calf_cm,omitempty" desc:"Calf girth in centimetres." min:"10" max:"100"`
}

// values are the measures that were given, in their shortest form.
func (d *measurementsData) values() (measurements, error) {
	given := measurements{}
	for measure, value := range map[string]*json.Number{
		"weight_kg":      d.WeightKG,
		"body_fat_pct":   d.BodyFatPct,
		"muscle_mass_kg": d.MuscleMassKG,
		"neck_cm":        d.NeckCM,
		"shoulders_cm":   d.ShouldersCM,
		"chest_cm":       d.ChestCM,
		"arm_cm":         d.ArmCM,
		"forearm_cm":     d.ForearmCM,
		"waist_cm":       d.WaistCM,
		"hip_cm":         d.HipCM,
		"thigh_cm":       d.ThighCM,
		"calf_cm":        d.CalfCM,
	} {
		if value == nil {
			continue
		}
		n, err := normal(*value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", measure, err)
		}
		given[measure] = n
	}
	return given, nil
}
