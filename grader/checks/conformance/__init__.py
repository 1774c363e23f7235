"""What a TensorRT plugin library must do, rule by rule, checked by driving it. ``conform`` runs all of them."""
